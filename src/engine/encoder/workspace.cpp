#include "engine/encoder/workspace.h"

#include <algorithm>
#include <cstring>

#include "engine/kernels/head_attention.h"

namespace headroom {
namespace {

// Elements from a row to the next: full panels, and an odd number of cache lines. Rows 4 KB apart
// would share one set of L1 (down projection at F = 1024: 98 instead of 111 GFLOP/s); rows that are
// not aligned to a line cost AMX two lines for each row of a tile.
int64_t stride_for(int64_t width, int64_t size) {
  const auto line = static_cast<int64_t>(cache_line);
  const int64_t lines = round_up(round_up(width, panel_width) * size, line) / line;
  return (lines + 1 - lines % 2) * line / size;
}

Activation take_rows(Arena& arena, int64_t rows, int64_t width, Precision precision) {
  Activation activation;
  activation.size = 4 / elements_per_lane(precision);
  activation.stride = stride_for(width, activation.size);
  activation.data = arena.take<std::byte>(rows * activation.stride * activation.size);
  if (precision == Precision::int8) activation.scales = arena.take<float>(rows);
  return activation;
}

// A product reads full lanes: the elements after an odd width must be finite, and meet zeros.
void clear_padding(const Activation& activation, int64_t rows, int64_t width) {
  const int64_t count = round_up(width, 4) - width;
  for (int64_t row = 0; count > 0 && row < rows; ++row) {
    std::memset(activation.at(row, width), 0, static_cast<size_t>(count * activation.size));
  }
}

// Rows without gaps, as attention's products read and write them.
Activation take_dense(Arena& arena, int64_t rows, int64_t width, Precision precision) {
  Activation activation;
  activation.size = 4 / elements_per_lane(precision);
  activation.stride = width;
  activation.data = arena.take<std::byte>(rows * width * activation.size);
  return activation;
}

Stream take_stream(Arena& arena, int64_t rows, int64_t width, Precision precision) {
  Stream stream;
  stream.x = take_rows(arena, rows, width, Precision::fp32);
  // The residual is added in full panels.
  for (int64_t row = 0; row < rows; ++row) {
    std::fill(stream.x.floats() + row * stream.x.stride + width,
              stream.x.floats() + (row + 1) * stream.x.stride, 0.0F);
  }
  stream.operand = stream.x;
  if (precision == Precision::fp32) return stream;
  stream.operand = take_rows(arena, rows, width, precision);
  clear_padding(stream.operand, rows, width);
  return stream;
}

// What products and softmax of one head pass on to each other.
void take_for_head(Arena& arena, int64_t T, int64_t width, Precision precision, Workspace& work) {
  work.transposed_keys = arena.take<uint32_t>(T * width / elements_per_lane(precision));
  work.scores = take_rows(arena, attention_rows, T, Precision::fp32);
  work.probabilities = work.scores;
  if (precision == Precision::bf16) {
    work.interleaved_values = arena.take<uint32_t>(T / 2 * width);
    work.probabilities = take_rows(arena, attention_rows, T, precision);
  }
  work.inverse_sums = arena.take<float>(attention_rows);
}

ChoiceSpace take_choice(Arena& arena, const ModelShape& shape) {
  ChoiceSpace space;
  space.mean = take_rows(arena, 1, shape.width, Precision::fp32);
  space.hidden = take_rows(arena, 1, shape.controller, Precision::fp32);
  space.share = take_rows(arena, 1, 1, Precision::fp32);
  space.relevance = take_rows(arena, 1, shape.heads, Precision::fp32);
  space.scores = arena.take<double>(shape.heads);
  space.heads = arena.take<int32_t>(shape.heads);
  space.segments = arena.take<GemmSegment>(shape.heads);
  return space;
}

// A product writes floats or bf16; int8 is made of floats once a row is complete.
Precision written_precision(Precision precision) {
  return precision == Precision::int8 ? Precision::fp32 : precision;
}

int64_t output_width(const ModelShape& shape) {
  return std::max(shape.labels, shape.dense);
}

// What a share needs for itself: attention's scratch for `heads` heads of T tokens, and a list of
// panels.
void take_share(const EngineWeights& weights, AttentionMode attention, int64_t T, int64_t heads,
                Arena& arena, Workspace& work) {
  const ModelShape& shape = weights.shape;
  const int64_t W = weights.padded_head_width();
  work.queries = take_dense(arena, T * heads, W, attention.precision);
  work.keys = take_dense(arena, T * heads, W, attention.precision);
  work.values = take_dense(arena, T * heads * W / panel_width, panel_width, attention.precision);
  if (!has_value_projection(shape.attention)) work.unmixed = arena.take<float>(T * W);
  take_for_head(arena, T, W, attention.precision, work);
  if (!weights.relative_bias.empty()) work.score_bias = arena.take<const float*>(shape.heads);
  if (shape.disentangled.farthest > 0) {
    // A block of 32 rows reaches 31 more distances than there are tokens, in any panels.
    work.position_products =
        take_rows(arena, attention_rows, T + attention_rows + 2 * panel_width, Precision::fp32);
    work.expanded_positions = take_rows(arena, attention_rows, T, Precision::fp32);
    work.key_positions = arena.take<float>(T * T);
  }
  if (attention.fused) work.head_scratch = arena.take<uint32_t>(head_scratch(T, W));
  const int64_t widest = std::max({3 * shape.heads * W, shape.ffn, shape.width, output_width(shape),
                                   T + 3 * attention_rows, shape.controller});
  work.panels = arena.take<GemmPanel>(round_up(widest, panel_width) / panel_width);
}

}  // namespace

Workspace Workspace::from_row(int64_t row) const {
  Workspace rest = *this;
  for (const auto each : {&Workspace::stream, &Workspace::normed, &Workspace::narrow}) {
    rest.*each = (this->*each).from_row(row);
  }
  for (const auto each :
       {&Workspace::context, &Workspace::hidden, &Workspace::gate, &Workspace::quantised}) {
    rest.*each = (this->*each).from_row(row);
  }
  return rest;
}

void mean_of_rows(const Activation& x, int64_t rows, int64_t width, float* mean) {
  std::fill_n(mean, width, 0.0F);
  for (int64_t t = 0; t < rows; ++t) {
    const float* row = x.floats() + t * x.stride;
    for (int64_t d = 0; d < width; ++d) mean[d] += row[d];
  }
  const float share = 1.0F / static_cast<float>(rows);
  for (int64_t d = 0; d < width; ++d) mean[d] *= share;
}

std::span<const Workspace> make_workspaces(const EngineWeights& weights, AttentionMode attention,
                                           int64_t tokens, int shares, Arena& arena) {
  const ModelShape& shape = weights.shape;
  const Precision precision = weights.precision;
  const int64_t T = round_up(tokens, panel_width);  // attention's products have full panels of keys
  const int64_t D = shape.width;
  const int64_t all_heads = shape.heads * weights.padded_head_width();
  const Precision written = written_precision(precision);
  arena.reset();
  Workspace work;
  work.stream = take_stream(arena, T, D, precision);
  if (shape.form.norms == NormOrder::pre) work.normed = take_stream(arena, T, D, precision);
  if (shape.embedding > 0) work.narrow = take_stream(arena, T, shape.embedding, Precision::fp32);
  work.context = take_rows(arena, T, all_heads, written);
  work.hidden = take_rows(arena, T, shape.ffn, written);
  if (shape.form.gated_ffn) work.gate = take_rows(arena, T, shape.ffn, written);
  if (precision == Precision::int8) {
    work.quantised = take_rows(arena, T, std::max(all_heads, shape.ffn), precision);
  }
  work.tail = take_stream(arena, tail_rows, D, precision);
  work.tail_context = take_rows(arena, tail_rows, all_heads, written);
  work.tail_hidden = take_rows(arena, tail_rows, shape.ffn, written);
  const int64_t output_rows = shape.readout == Readout::tokens ? T : tail_rows;
  work.logits = arena.take<float>(output_rows * round_up(output_width(shape), panel_width));
  if (shape.controller > 0) work.choice = take_choice(arena, shape);
  const std::span<Workspace> all(arena.take<Workspace>(shares), static_cast<size_t>(shares));
  take_share(weights, attention, T, shape.heads, arena, work);
  all[0] = work;
  for (Workspace& each : all.subspan(1)) {  // one of two or more: half of the heads at most
    take_share(weights, attention, T, round_up(shape.heads, 2) / 2, arena, work);
    each = work;
  }
  return all;
}

}  // namespace headroom
