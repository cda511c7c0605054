#include "engine/attention.h"

#include <algorithm>

#include "engine/linear.h"

namespace headroom {
namespace {

enum Part : int64_t { query_part, key_part, value_part };

// The `width` columns of x from `first` on as panels of rows, zeros behind them.
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

class Attention {
 public:
  Attention(const EngineWeights& weights, const PackedLayer& layer, const LayerPlan& plan,
            const Kernels& kernels, const Workspace& work, int64_t tokens)
      : layer_(layer),
        plan_(plan),
        kernels_(kernels),
        work_(work),
        kind_(weights.shape.attention),
        positions_(weights.shape.positions),
        T_(tokens),
        W_(weights.padded_head_width()),
        read_(weights.shape.head_width()),
        head_panels_(weights.head_panels()),
        input_{0, 0, layer.inputs.units()} {}

  // Queries of the first `queries` tokens, keys and values of all: those that are projected.
  void project(int64_t queries) const {
    const auto last = static_cast<Part>(input_projections(kind_) - 1);
    if (queries == T_) {
      project(query_part, last, T_);
      return;
    }
    project(query_part, query_part, queries);
    if (last > query_part) project(key_part, last, T_);
  }

  // Keys and values that are columns of the input.
  void read_input() const {
    for (size_t i = 0; i < plan_.heads.size(); ++i) {
      const int64_t first = plan_.heads[i] * read_;
      const int64_t place = static_cast<int64_t>(i) * T_ * W_;
      if (!has_key_projection(kind_)) copy_keys(first, work_.keys + place);
      if (has_mixing(kind_)) {
        copy_to_panels(work_.stream.x, first, read_, T_, work_.unmixed);
        mix_values(work_.values + place);
      } else if (!has_value_projection(kind_)) {
        copy_to_panels(work_.stream.x, first, read_, T_, work_.values + place);
      }
    }
  }

  // The i-th kept head's rows of `context`.
  void mix(int64_t i, int64_t queries, const Activation& context) const {
    kernels_.transpose(work_.keys + i * T_ * W_, W_, T_, W_, work_.turned_keys);
    for (int64_t row = 0; row < queries; row += attention_rows) {
      const int64_t rows = std::min(attention_rows, queries - row);
      score(work_.queries + (i * T_ + row) * W_, rows);
      kernels_.softmax(work_.scores.floats(), work_.scores.stride, rows, T_, work_.inverse_sums);
      sum_values(i, rows, context, row);
    }
  }

 private:
  // `rows` rows times the first `count` listed panels; `segment` must live as long as the call.
  GemmCall product(int64_t rows, const GemmSegment& segment, int64_t count) const {
    GemmCall call;
    call.rows = rows;
    call.segments = &segment;
    call.segment_count = 1;
    call.panels = work_.panels;
    call.panel_count = count;
    return call;
  }

  // Parts [first, last] of every kept head, in one product.
  void project(Part first, Part last, int64_t rows) const {
    const int64_t parts = input_projections(kind_);
    int64_t count = 0;
    for (size_t i = 0; i < plan_.places.size(); ++i) {
      for (int64_t part = first; part <= last; ++part) {
        for (int64_t p = 0; p < head_panels_; ++p) {
          const int64_t panel = (plan_.places[i] * parts + part) * head_panels_ + p;
          const auto [place, stride] = place_of(static_cast<int64_t>(i), part, p);
          work_.panels[count++] = layer_.inputs.gemm_panel(panel, place, stride);
        }
      }
    }
    GemmCall call = product(rows, input_, count);
    multiply(kernels_, work_.stream.operand, call);
  }

  void copy_keys(int64_t first, float* keys) const {
    const Activation& x = work_.stream.x;
    for (int64_t t = 0; t < T_; ++t) {
      std::copy_n(x.floats() + t * x.stride + first, read_, keys + t * W_);
      std::fill(keys + t * W_ + read_, keys + (t + 1) * W_, 0.0F);
    }
  }

  // The leading T x T block of the mixing matrix times the head's values.
  void mix_values(float* values) const {
    const GemmSegment whole = {0, 0, T_};
    for (int64_t p = 0; p < head_panels_; ++p) {
      const int64_t at = p * T_ * panel_width;
      work_.panels[p] = {work_.unmixed + at, nullptr, values + at, panel_width, nullptr};
    }
    GemmCall call = product(T_, whole, head_panels_);
    call.a = layer_.mixing.data();
    call.a_stride = positions_;
    kernels_.gemm_f32(call);
  }

  struct Place {
    float* at;
    int64_t stride;
  };

  Place place_of(int64_t i, int64_t part, int64_t panel) const {
    if (part == value_part) {
      return {work_.values + i * T_ * W_ + panel * T_ * panel_width, panel_width};
    }
    float* all = part == query_part ? work_.queries : work_.keys;
    return {all + i * T_ * W_ + panel * panel_width, W_};
  }

  void score(const float* queries, int64_t rows) const {
    const GemmSegment whole = {0, 0, W_};
    const int64_t count = round_up(T_, panel_width) / panel_width;
    for (int64_t p = 0; p < count; ++p) {
      work_.panels[p] = {work_.turned_keys + p * W_ * panel_width, nullptr,
                         work_.scores.at(0, p * panel_width), work_.scores.stride, nullptr};
    }
    GemmCall call = product(rows, whole, count);
    call.a = queries;
    call.a_stride = W_;
    kernels_.gemm_f32(call);
  }

  void sum_values(int64_t i, int64_t rows, const Activation& context, int64_t row) const {
    const GemmSegment whole = {0, 0, T_};
    for (int64_t p = 0; p < head_panels_; ++p) {
      work_.panels[p] = {work_.values + i * T_ * W_ + p * T_ * panel_width, nullptr,
                         context.at(row, i * W_ + p * panel_width), context.stride, nullptr};
    }
    GemmCall call = product(rows, whole, head_panels_);
    call.a = work_.scores.data;
    call.a_stride = work_.scores.stride;
    call.finish = GemmFinish::scale_rows;
    call.row_scales = work_.inverse_sums;
    call.out = context.type();
    kernels_.gemm_f32(call);
  }

  const PackedLayer& layer_;
  const LayerPlan& plan_;
  const Kernels& kernels_;
  const Workspace& work_;
  AttentionKind kind_;
  int64_t positions_;
  int64_t T_;
  int64_t W_;     // of a head, whole panels
  int64_t read_;  // of a head, without padding
  int64_t head_panels_;
  GemmSegment input_;
};

}  // namespace

void attend(const EngineWeights& weights, const PackedLayer& layer, const LayerPlan& plan,
            const Kernels& kernels, const Workspace& work, int64_t tokens, int64_t queries,
            const Activation& context) {
  const Attention attention(weights, layer, plan, kernels, work, tokens);
  attention.project(queries);
  attention.read_input();
  for (size_t i = 0; i < plan.heads.size(); ++i) {
    attention.mix(static_cast<int64_t>(i), queries, context);
  }
}

}  // namespace headroom
