#include "engine/encoder/attention.h"

#include <algorithm>
#include <optional>

#include "engine/encoder/disentangled.h"
#include "engine/encoder/linear.h"

namespace headroom {
namespace {

enum Part : int64_t { query_part, key_part, value_part };

// Columns [first, first + width) of x, T x width, as panels of T x 16, padded with zeros.
void copy_to_panels(const Activation& x, int64_t first, int64_t width, int64_t rows,
                    float* panels) {
  const int64_t count = round_up(width, panel_width) / panel_width;
  for (int64_t p = 0; p < count; ++p) {
    const int64_t used = std::min(panel_width, width - p * panel_width);
    for (int64_t t = 0; t < rows; ++t) {
      const float* from = x.floats() + t * x.stride + first + p * panel_width;
      float* to = panels + (p * rows + t) * panel_width;
      std::copy_n(from, used, to);
      std::fill(to + used, to + panel_width, 0.0F);
    }
  }
}

// A bf16 panel, rows x 16, as lanes of two rows: (rows / 2) x 16, the last padded with zeros.
void interleave_rows(const uint16_t* panel, int64_t rows, uint32_t* lanes) {
  constexpr uint16_t zeros[panel_width] = {};
  for (int64_t t = 0; t < rows; t += 2) {
    const uint16_t* first = panel + t * panel_width;
    const uint16_t* second = t + 1 < rows ? first + panel_width : zeros;
    uint32_t* to = lanes + t / 2 * panel_width;
    for (int64_t n = 0; n < panel_width; ++n) {
      to[n] = first[n] | static_cast<uint32_t>(second[n]) << 16U;
    }
  }
}

// What fused kernels ask of a head's width: tiles of 32 bf16.
bool full_tiles(int64_t head_width) {
  return head_width % (2 * panel_width) == 0;
}

// A layer's heads in one kernel; null: products and softmax apart.
decltype(Kernels::attend_heads) fused_attention(Precision linear, const Kernels& kernels) {
  const bool bytes = linear == Precision::int8 && kernels.attend_heads_int8 != nullptr;
  return bytes ? kernels.attend_heads_int8 : kernels.attend_heads;
}

// Keys [first, end) that a block of queries looks at; `first` starts a panel.
struct KeyRange {
  int64_t first = 0;
  int64_t end = 0;

  int64_t count() const { return end - first; }
};

// Below every score: its exponential is 0.
constexpr float hidden_score = -1e30F;

std::optional<PositionScores> position_scores(const EngineWeights& weights,
                                              const PackedLayer& layer, const Kernels& kernels,
                                              const Workspace& work, int64_t tokens,
                                              int64_t queries) {
  if (weights.shape.disentangled.farthest == 0) return {};
  return PositionScores(weights, layer, kernels, work, tokens, queries);
}

// T tokens, Q queries, H heads kept, W padded head width.
class Attention {
 public:
  Attention(const EngineWeights& weights, const PackedLayer& layer, const HeadSet& heads,
            const Kernels& kernels, const Workspace& work, const Stream& input, int64_t tokens,
            int64_t queries)
      : layer_(layer),
        heads_(heads),
        kernels_(kernels),
        work_(work),
        stream_(input),
        kind_(weights.shape.attention),
        positions_(weights.shape.positions),
        T_(tokens),
        W_(weights.padded_head_width()),
        head_width_(weights.shape.head_width()),
        head_panels_(weights.head_panels()),
        lane_elements_(4 / work.queries.size),
        windowed_(layer.window > 0 && layer.window < tokens - 1),
        position_scores_(position_scores(weights, layer, kernels, work, tokens, queries)),
        fused_(fused_kernel(weights.precision, queries)),
        block_rows_(kernels.has_tiles && !in_floats() ? attention_rows : vector_rows),
        input_{0, 0, layer.inputs.lanes()} {
    for (size_t i = 0; work.score_bias != nullptr && i < heads.heads.size(); ++i) {
      work.score_bias[i] = weights.relative_bias_of(heads.heads[i]);
    }
  }

  // Projects queries of the first `queries` tokens, keys and values of all.
  void project(int64_t queries) const {
    const auto last = static_cast<Part>(input_projections(kind_) - 1);
    if (queries == T_) {
      project(query_part, last, T_);
      return;
    }
    project(query_part, query_part, queries);
    if (last > query_part) project(key_part, last, T_);
  }

  // Turns queries and keys by their positions.
  void rotate(int64_t queries) const {
    if (layer_.rotary.cosines == nullptr) return;
    RotateCall call;
    call.type = work_.queries.type();
    call.stride = W_;
    call.half = head_width_ / 2;
    call.cosines = layer_.rotary.cosines;
    call.sines = layer_.rotary.sines;
    for (size_t i = 0; i < heads_.heads.size(); ++i) {
      call.x = head(work_.queries, static_cast<int64_t>(i));
      call.rows = queries;
      kernels_.rotate(call);
      call.x = head(work_.keys, static_cast<int64_t>(i));
      call.rows = T_;
      kernels_.rotate(call);
    }
  }

  // Copies keys and values that are not projected, but columns of the input.
  void copy_input() const {
    for (size_t i = 0; i < heads_.heads.size(); ++i) {
      const int64_t first = heads_.heads[i] * head_width_;
      const auto head = static_cast<int64_t>(i);
      if (!has_key_projection(kind_)) copy_keys(first, head);
      if (has_mixing(kind_)) {
        copy_to_panels(stream_.x, first, head_width_, T_, work_.unmixed);
        mix_values(head);
      } else if (!has_value_projection(kind_)) {
        copy_values(first, head);
      }
    }
  }

  // context: Q x (H W).
  void attend(int64_t queries, const Activation& context) const {
    const auto count = static_cast<int64_t>(heads_.heads.size());
    if (fused_ != nullptr) {
      attend_fused(count, queries, context);
    } else {
      for (int64_t i = 0; i < count; ++i) attend_head(i, queries, context);
    }
  }

 private:
  // What is added to the score of query q and key k lies at q + k * bias_stride: by distance.
  static constexpr int64_t bias_stride = -1;
  static constexpr int64_t vector_rows = 28;  // two of AVX-512's micro-kernels of 14 rows

  decltype(Kernels::attend_heads) fused_kernel(Precision linear, int64_t queries) const {
    if (windowed_ || position_scores_) return nullptr;
    if (queries > 1) {
      return work_.head_scratch != nullptr ? fused_attention(linear, kernels_) : nullptr;
    }
    return !in_floats() && full_tiles(W_) ? kernels_.attend_query : nullptr;
  }

  void attend_fused(int64_t heads, int64_t queries, const Activation& context) const {
    HeadAttentionCall call;
    call.queries = work_.queries.bf16();
    call.keys = work_.keys.bf16();
    call.values = work_.values.bf16();
    call.heads = heads;
    call.head_stride = T_ * W_;
    call.width = W_;
    call.query_count = queries;
    call.tokens = T_;
    call.context = context.data;
    call.context_stride = context.stride;
    call.out = context.type();
    call.bias = work_.score_bias;
    call.bias_stride = bias_stride;
    call.scratch =
        queries == 1 ? reinterpret_cast<uint32_t*>(work_.scores.data) : work_.head_scratch;
    fused_(call);
  }

  // The i-th kept head, a block of queries at a time.
  void attend_head(int64_t i, int64_t queries, const Activation& context) const {
    const int64_t lanes = W_ / lane_elements_;
    kernels_.transpose(reinterpret_cast<const float*>(head(work_.keys, i)), lanes, T_, lanes,
                       reinterpret_cast<float*>(work_.transposed_keys));
    const uint32_t* values = packed_values(i);
    const int64_t slot = heads_.slots[static_cast<size_t>(i)];
    if (position_scores_) position_scores_->prepare(slot, head_rows(work_.keys, i, 0));
    for (int64_t row = 0; row < queries; row += block_rows_) {
      const int64_t rows = std::min(block_rows_, queries - row);
      const KeyRange keys = keys_of(row, rows);
      if (position_scores_) {
        position_scores_->start(slot, head_rows(work_.queries, i, row), row, rows);
      }
      score(i, row, rows, keys);
      if (windowed_) hide_outside_window(row, rows, keys);
      softmax(rows, keys);
      weigh_values(i, values, rows, context, row, keys);
    }
  }

  // Of queries [row, row + rows): within the window of one of them.
  KeyRange keys_of(int64_t row, int64_t rows) const {
    if (!windowed_) return {0, T_};
    const int64_t first = std::max<int64_t>(row - layer_.window, 0);
    return {first / panel_width * panel_width, std::min(row + rows + layer_.window, T_)};
  }

  void hide_outside_window(int64_t row, int64_t rows, const KeyRange& keys) const {
    for (int64_t r = 0; r < rows; ++r) {
      float* scores = work_.scores.floats() + r * work_.scores.stride;
      const int64_t first = row + r - layer_.window - keys.first;
      const int64_t end = row + r + layer_.window + 1 - keys.first;
      std::fill(scores, scores + std::max<int64_t>(first, 0), hidden_score);
      std::fill(scores + std::min(end, keys.count()), scores + keys.count(), hidden_score);
    }
  }

  bool in_floats() const { return lane_elements_ == 1; }

  std::byte* head(const Activation& all, int64_t i) const {
    return all.data + i * T_ * W_ * all.size;
  }

  // The i-th head's rows from `row` on.
  Activation head_rows(Activation all, int64_t i, int64_t row) const {
    all.data = head(all, i) + row * W_ * all.size;
    return all;
  }

  // Of the first `count` listed panels; `segment` must live as long as the call.
  GemmCall product(int64_t rows, const GemmSegment& segment, int64_t count) const {
    GemmCall call;
    call.rows = rows;
    call.segments = &segment;
    call.segment_count = 1;
    call.panels = work_.panels;
    call.panel_count = count;
    return call;
  }

  // Parts [first, last] of every kept head in one product: T x D times D x (H parts W).
  void project(Part first, Part last, int64_t rows) const {
    const int64_t parts = input_projections(kind_);
    int64_t count = 0;
    for (size_t i = 0; i < heads_.slots.size(); ++i) {
      for (int64_t part = first; part <= last; ++part) {
        for (int64_t p = 0; p < head_panels_; ++p) {
          const int64_t panel = (heads_.slots[i] * parts + part) * head_panels_ + p;
          const auto [out, stride] = target(static_cast<int64_t>(i), part, p);
          work_.panels[count++] = layer_.inputs.gemm_panel(panel, {&input_, 1}, out, stride);
        }
      }
    }
    GemmCall call = product(rows, input_, count);
    call.out = work_.queries.type();
    multiply(kernels_, stream_.operand, call);
  }

  struct Target {
    std::byte* data;
    int64_t stride;
  };

  // Where a panel of a head's projection is written.
  Target target(int64_t i, int64_t part, int64_t panel) const {
    if (part == value_part) return value_panel(i, panel);
    std::byte* all = head(part == query_part ? work_.queries : work_.keys, i);
    return {all + panel * panel_width * work_.keys.size, W_};
  }

  Target value_panel(int64_t i, int64_t panel) const {
    const Activation& values = work_.values;
    if (fused_ != nullptr) return {head(values, i) + panel * panel_width * values.size, W_};
    return {head(values, i) + panel * T_ * panel_width * values.size, panel_width};
  }

  void copy_keys(int64_t first, int64_t i) const { copy_rows(first, head(work_.keys, i)); }

  void copy_values(int64_t first, int64_t i) const {
    if (fused_ != nullptr) {
      copy_rows(first, head(work_.values, i));
      return;
    }
    float* floats = in_floats() ? reinterpret_cast<float*>(head(work_.values, i)) : work_.unmixed;
    copy_to_panels(stream_.x, first, head_width_, T_, floats);
    if (!in_floats()) convert(floats, T_ * W_, head(work_.values, i));
  }

  // A head's columns of the stream from `first` on, T x W in attention's precision, padded with
  // zeros.
  void copy_rows(int64_t first, std::byte* to) const {
    const Activation& x = stream_.x;
    const int64_t size = work_.keys.size;
    std::fill_n(to, T_ * W_ * size, std::byte{0});
    for (int64_t t = 0; t < T_; ++t) {
      convert(x.floats() + t * x.stride + first, head_width_, to + t * W_ * size);
    }
  }

  void convert(const float* from, int64_t count, std::byte* to) const {
    if (in_floats()) {
      std::copy_n(from, count, reinterpret_cast<float*>(to));
    } else {
      kernels_.round_to_bf16(from, reinterpret_cast<uint16_t*>(to), count);
    }
  }

  // The leading T x T block of the mixing matrix times the head's T x W values.
  void mix_values(int64_t i) const {
    const GemmSegment all_rows = {0, 0, T_};
    for (int64_t p = 0; p < head_panels_; ++p) {
      const auto [out, stride] = value_panel(i, p);
      work_.panels[p] = {work_.unmixed + p * T_ * panel_width, nullptr, out, stride, nullptr};
    }
    GemmCall call = product(T_, all_rows, head_panels_);
    call.a = layer_.mixing.data();
    call.a_stride = positions_;
    call.out = work_.values.type();
    kernels_.gemm_f32(call);
  }

  // The i-th head's values as the product reads them: panels of lanes.
  const uint32_t* packed_values(int64_t i) const {
    if (in_floats()) return reinterpret_cast<const uint32_t*>(head(work_.values, i));
    for (int64_t p = 0; p < head_panels_; ++p) {
      interleave_rows(reinterpret_cast<const uint16_t*>(value_panel(i, p).data), T_,
                      work_.interleaved_values + p * key_lanes() * panel_width);
    }
    return work_.interleaved_values;
  }

  int64_t key_lanes() const { return round_up(T_, lane_elements_) / lane_elements_; }

  // scores: rows x keys = queries, rows x W, times transposed keys, W x keys.
  void score(int64_t i, int64_t row, int64_t rows, const KeyRange& keys) const {
    const GemmSegment all_lanes = {0, 0, W_ / lane_elements_};
    const int64_t count = round_up(keys.count(), panel_width) / panel_width;
    for (int64_t p = 0; p < count; ++p) {
      const int64_t key = keys.first + p * panel_width;
      work_.panels[p] = {work_.transposed_keys + key * all_lanes.length, nullptr,
                         work_.scores.at(0, p * panel_width), work_.scores.stride, nullptr};
    }
    GemmCall call = product(rows, all_lanes, count);
    if (work_.score_bias != nullptr) fill_scores(work_.score_bias[i], row, rows);
    if (position_scores_ || work_.score_bias != nullptr) call.start = GemmStart::accumulate;
    multiply(kernels_, head_rows(work_.queries, i, row), call);
  }

  // Scores start with what is added to them.
  void fill_scores(const float* bias, int64_t row, int64_t rows) const {
    for (int64_t i = 0; i < rows; ++i) {
      float* scores = work_.scores.floats() + i * work_.scores.stride;
      for (int64_t k = 0; k < T_; ++k) scores[k] = bias[row + i + k * bias_stride];
      std::fill(scores + T_, scores + round_up(T_, panel_width), 0.0F);
    }
  }

  void softmax(int64_t rows, const KeyRange& keys) const {
    SoftmaxCall call;
    call.x = work_.scores.floats();
    call.stride = work_.scores.stride;
    call.rows = rows;
    call.length = keys.count();
    call.inverse_sums = work_.inverse_sums;
    if (!in_floats()) {
      call.bf16 = work_.probabilities.bf16();
      call.bf16_stride = work_.probabilities.stride;
    }
    kernels_.softmax(call);
  }

  // context: rows x W = probabilities, rows x keys, times values, keys x W.
  void weigh_values(int64_t i, const uint32_t* values, int64_t rows, const Activation& context,
                    int64_t row, const KeyRange& keys) const {
    const GemmSegment key_rows = {0, keys.first / lane_elements_,
                                  round_up(keys.count(), lane_elements_) / lane_elements_};
    for (int64_t p = 0; p < head_panels_; ++p) {
      work_.panels[p] = {values + p * key_lanes() * panel_width, nullptr,
                         context.at(row, i * W_ + p * panel_width), context.stride, nullptr};
    }
    GemmCall call = product(rows, key_rows, head_panels_);
    call.epilogue = GemmEpilogue::scale_rows;
    call.row_scales = work_.inverse_sums;
    call.out = context.type();
    multiply(kernels_, work_.probabilities, call);
  }

  const PackedLayer& layer_;
  const HeadSet& heads_;
  const Kernels& kernels_;
  const Workspace& work_;
  const Stream& stream_;  // what the layer reads
  AttentionKind kind_;
  int64_t positions_;
  int64_t T_;
  int64_t W_;           // of a head, padded to full panels
  int64_t head_width_;  // of a head, without padding
  int64_t head_panels_;
  int64_t lane_elements_;                          // in a lane of attention's products
  bool windowed_;                                  // some tokens do not see each other
  std::optional<PositionScores> position_scores_;  // where scores start, unless at 0
  decltype(Kernels::attend_heads) fused_;          // null: products and softmax apart
  int64_t block_rows_;                             // queries whose scores are computed together
  GemmSegment input_;
};

}  // namespace

AttentionMode attention_mode(Precision linear, const Kernels& kernels, int64_t head_width) {
  const bool bf16 =
      linear == Precision::bf16 || (linear == Precision::int8 && kernels.has_bf16_products);
  return {bf16 ? Precision::bf16 : Precision::fp32,
          bf16 && fused_attention(linear, kernels) != nullptr && full_tiles(head_width)};
}

void attend(const EngineWeights& weights, const PackedLayer& layer, const HeadSet& heads,
            const Kernels& kernels, const Workspace& work, const Stream& input, int64_t tokens,
            int64_t queries, const Activation& context) {
  if (layer.window > 0) tokens = std::min(tokens, queries + layer.window);
  const Attention attention(weights, layer, heads, kernels, work, input, tokens, queries);
  attention.project(queries);
  attention.rotate(queries);
  attention.copy_input();
  attention.attend(queries, context);
}

}  // namespace headroom
