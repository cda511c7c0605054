#include "engine/encoder/disentangled.h"

#include <algorithm>

#include "engine/encoder/linear.h"

namespace headroom {
namespace {

// to[i] = row[column_of(i)] for i in [0, count). In [begin, end) columns are neighbours.
template <typename ColumnOf>
void gather(const float* row, int64_t count, int64_t begin, int64_t end, const ColumnOf& column_of,
            float* to) {
  begin = std::clamp<int64_t>(begin, 0, count);
  end = std::clamp<int64_t>(end, begin, count);
  for (int64_t i = 0; i < begin; ++i) to[i] = row[column_of(i)];
  if (begin < end) std::copy_n(row + column_of(begin), end - begin, to + begin);
  for (int64_t i = end; i < count; ++i) to[i] = row[column_of(i)];
}

}  // namespace

PositionScores::PositionScores(const EngineWeights& weights, const PackedLayer& layer,
                               const Kernels& kernels, const Workspace& work, int64_t tokens,
                               int64_t queries)
    : weights_(weights),
      layer_(layer),
      kernels_(kernels),
      work_(work),
      rows_by_distance_(weights.relative_rows.data() + weights.shape.positions - 1),
      T_(tokens),
      Q_(queries),
      last_row_(weights.shape.disentangled.rows() - 1) {}

int64_t PositionScores::multiply_columns(const PackedMatrix& matrix, const Activation& in,
                                         int64_t rows, int64_t first, int64_t last) const {
  const GemmSegment all = {0, 0, matrix.lanes()};
  const int64_t begin = first / panel_width;
  const int64_t count = last / panel_width - begin + 1;
  const Activation& out = work_.position_products;
  for (int64_t p = 0; p < count; ++p) {
    work_.panels[p] =
        matrix.gemm_panel(begin + p, {&all, 1}, out.at(0, p * panel_width), out.stride);
  }
  GemmCall call;
  call.rows = rows;
  call.segments = &all;
  call.segment_count = 1;
  call.panels = work_.panels;
  call.panel_count = count;
  multiply(kernels_, in, call);
  return begin * panel_width;
}

void PositionScores::prepare(int64_t slot, const Activation& keys) const {
  if (layer_.relative_queries.empty()) return;
  const PackedMatrix& matrix = layer_.relative_queries[static_cast<size_t>(slot)];
  const int64_t apart = weights_.distinct_distances;
  const Activation& products = work_.position_products;
  const Activation& expanded = work_.expanded_positions;
  for (int64_t key = 0; key < T_; key += attention_rows) {
    const int64_t rows = std::min(attention_rows, T_ - key);
    Activation block = keys;
    block.data = keys.at(key, 0);
    const int64_t column =
        multiply_columns(matrix, block, rows, row_of(1 - key - rows), row_of(Q_ - 1 - key));
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t k = key + r;
      gather(
          products.floats() + r * products.stride, Q_, k - apart + 1, k + apart,
          [&](int64_t q) { return row_of(q - k) - column; },
          expanded.floats() + r * expanded.stride);
    }
    // By query, 16 keys side by side.
    kernels_.transpose(expanded.floats(), expanded.stride, rows, Q_,
                       work_.key_positions + key * Q_);
  }
}

void PositionScores::start(int64_t slot, const Activation& queries, int64_t row,
                           int64_t rows) const {
  const int64_t apart = weights_.distinct_distances;
  const Activation& scores = work_.scores;
  const int64_t padded = round_up(T_, panel_width);
  const bool from_queries = !layer_.relative_keys.empty();
  int64_t column = 0;
  if (from_queries) {  // columns are in descending order of distance
    column = multiply_columns(layer_.relative_keys[static_cast<size_t>(slot)], queries, rows,
                              last_row_ - row_of(row + rows - 1), last_row_ - row_of(row - T_ + 1));
  }
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t q = row + r;
    float* to = scores.floats() + r * scores.stride;
    std::fill(to + (from_queries ? T_ : 0), to + padded, 0.0F);
    if (from_queries) {
      gather(
          work_.position_products.floats() + r * work_.position_products.stride, T_, q - apart + 1,
          q + apart, [&](int64_t k) { return last_row_ - row_of(q - k) - column; }, to);
    }
    if (layer_.relative_queries.empty()) continue;
    for (int64_t key = 0; key < T_; key += panel_width) {
      const float* from = work_.key_positions + key * Q_ + q * panel_width;
      for (int64_t n = 0; n < panel_width; ++n) to[key + n] += from[n];
    }
  }
}

}  // namespace headroom
