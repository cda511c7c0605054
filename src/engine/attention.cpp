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

// Two rows of a panel side by side in one row of units; a zero row where there is no second.
void pair_rows(const uint16_t* panel, int64_t rows, uint32_t* units) {
  constexpr uint16_t zeros[panel_width] = {};
  for (int64_t t = 0; t < rows; t += 2) {
    const uint16_t* first = panel + t * panel_width;
    const uint16_t* second = t + 1 < rows ? first + panel_width : zeros;
    uint32_t* to = units + t / 2 * panel_width;
    for (int64_t n = 0; n < panel_width; ++n) {
      to[n] = first[n] | static_cast<uint32_t>(second[n]) << 16U;
    }
  }
}

// What kernels for all heads ask of a head's width.
bool whole_tiles(int64_t head_width) {
  return head_width % (2 * panel_width) == 0;
}

class Attention {
 public:
  Attention(const EngineWeights& weights, const PackedLayer& layer, const HeadSet& heads,
            const Kernels& kernels, const Workspace& work, int64_t tokens, int64_t queries)
      : layer_(layer),
        heads_(heads),
        kernels_(kernels),
        work_(work),
        kind_(weights.shape.attention),
        positions_(weights.shape.positions),
        T_(tokens),
        W_(weights.padded_head_width()),
        read_(weights.shape.head_width()),
        head_panels_(weights.head_panels()),
        each_(4 / work.queries.size),
        one_kernel_(one_kernel(queries)),
        rows_(kernels.isa == Isa::amx && !in_floats() ? attention_rows : vector_rows),
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
    for (size_t i = 0; i < heads_.heads.size(); ++i) {
      const int64_t first = heads_.heads[i] * read_;
      const auto head = static_cast<int64_t>(i);
      if (!has_key_projection(kind_)) copy_keys(first, head);
      if (has_mixing(kind_)) {
        copy_to_panels(work_.stream.x, first, read_, T_, work_.unmixed);
        mix_values(head);
      } else if (!has_value_projection(kind_)) {
        copy_values(first, head);
      }
    }
  }

  // Rows of `context`.
  void mix(int64_t queries, const Activation& context) const {
    const auto count = static_cast<int64_t>(heads_.heads.size());
    if (one_kernel_ != nullptr) {
      mix_at_once(count, queries, context);
    } else {
      for (int64_t i = 0; i < count; ++i) mix(i, queries, context);
    }
  }

 private:
  static constexpr int64_t vector_rows = 28;  // two blocks of the products without tiles

  decltype(Kernels::attend_heads) one_kernel(int64_t queries) const {
    if (queries > 1) return work_.head_scratch != nullptr ? kernels_.attend_heads : nullptr;
    return !in_floats() && whole_tiles(W_) ? kernels_.attend_query : nullptr;
  }

  void mix_at_once(int64_t heads, int64_t queries, const Activation& context) const {
    HeadAttentionCall call;
    call.queries = work_.queries.halves();
    call.keys = work_.keys.halves();
    call.values = work_.values.halves();
    call.heads = heads;
    call.head_stride = T_ * W_;
    call.width = W_;
    call.query_count = queries;
    call.tokens = T_;
    call.context = context.data;
    call.context_stride = context.stride;
    call.out = context.type();
    call.scratch =
        queries == 1 ? reinterpret_cast<uint32_t*>(work_.scores.data) : work_.head_scratch;
    one_kernel_(call);
  }

  // The i-th kept head.
  void mix(int64_t i, int64_t queries, const Activation& context) const {
    const int64_t units = W_ / each_;
    kernels_.transpose(reinterpret_cast<const float*>(head(work_.keys, i)), units, T_, units,
                       reinterpret_cast<float*>(work_.turned_keys));
    const uint32_t* values = paired_values(i);
    for (int64_t row = 0; row < queries; row += rows_) {
      const int64_t rows = std::min(rows_, queries - row);
      score(i, row, rows);
      take_shares(rows);
      sum_values(i, values, rows, context, row);
    }
  }

  bool in_floats() const { return each_ == 1; }

  std::byte* head(const Activation& all, int64_t i) const {
    return all.data + i * T_ * W_ * all.size;
  }

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
    for (size_t i = 0; i < heads_.places.size(); ++i) {
      for (int64_t part = first; part <= last; ++part) {
        for (int64_t p = 0; p < head_panels_; ++p) {
          const int64_t panel = (heads_.places[i] * parts + part) * head_panels_ + p;
          const auto [place, stride] = place_of(static_cast<int64_t>(i), part, p);
          work_.panels[count++] = layer_.inputs.gemm_panel(panel, {&input_, 1}, place, stride);
        }
      }
    }
    GemmCall call = product(rows, input_, count);
    call.out = work_.queries.type();
    multiply(kernels_, work_.stream.operand, call);
  }

  struct Place {
    std::byte* at;
    int64_t stride;
  };

  Place place_of(int64_t i, int64_t part, int64_t panel) const {
    if (part == value_part) return value_panel(i, panel);
    std::byte* all = head(part == query_part ? work_.queries : work_.keys, i);
    return {all + panel * panel_width * work_.keys.size, W_};
  }

  Place value_panel(int64_t i, int64_t panel) const {
    const Activation& values = work_.values;
    if (one_kernel_ != nullptr) return {head(values, i) + panel * panel_width * values.size, W_};
    return {head(values, i) + panel * T_ * panel_width * values.size, panel_width};
  }

  void copy_keys(int64_t first, int64_t i) const { copy_rows(first, head(work_.keys, i)); }

  void copy_values(int64_t first, int64_t i) const {
    if (one_kernel_ != nullptr) {
      copy_rows(first, head(work_.values, i));
      return;
    }
    float* floats = in_floats() ? reinterpret_cast<float*>(head(work_.values, i)) : work_.unmixed;
    copy_to_panels(work_.stream.x, first, read_, T_, floats);
    if (!in_floats()) copy_numbers(floats, T_ * W_, head(work_.values, i));
  }

  // A head's columns of the stream from `first` on, in attention's precision, zeros behind them.
  void copy_rows(int64_t first, std::byte* to) const {
    const Activation& x = work_.stream.x;
    const int64_t size = work_.keys.size;
    std::fill_n(to, T_ * W_ * size, std::byte{0});
    for (int64_t t = 0; t < T_; ++t) {
      copy_numbers(x.floats() + t * x.stride + first, read_, to + t * W_ * size);
    }
  }

  void copy_numbers(const float* from, int64_t count, std::byte* to) const {
    if (in_floats()) {
      std::copy_n(from, count, reinterpret_cast<float*>(to));
    } else {
      kernels_.round_to_bf16(from, reinterpret_cast<uint16_t*>(to), count);
    }
  }

  // The leading T x T block of the mixing matrix times the head's values.
  void mix_values(int64_t i) const {
    const GemmSegment whole = {0, 0, T_};
    for (int64_t p = 0; p < head_panels_; ++p) {
      const auto [place, stride] = value_panel(i, p);
      work_.panels[p] = {work_.unmixed + p * T_ * panel_width, nullptr, place, stride, nullptr};
    }
    GemmCall call = product(T_, whole, head_panels_);
    call.a = layer_.mixing.data();
    call.a_stride = positions_;
    call.out = work_.values.type();
    kernels_.gemm_f32(call);
  }

  // The i-th head's values as the product reads them.
  const uint32_t* paired_values(int64_t i) const {
    if (in_floats()) return reinterpret_cast<const uint32_t*>(head(work_.values, i));
    for (int64_t p = 0; p < head_panels_; ++p) {
      pair_rows(reinterpret_cast<const uint16_t*>(value_panel(i, p).at), T_,
                work_.paired_values + p * key_units() * panel_width);
    }
    return work_.paired_values;
  }

  int64_t key_units() const { return round_up(T_, each_) / each_; }

  void score(int64_t i, int64_t row, int64_t rows) const {
    const GemmSegment whole = {0, 0, W_ / each_};
    const int64_t count = round_up(T_, panel_width) / panel_width;
    for (int64_t p = 0; p < count; ++p) {
      work_.panels[p] = {work_.turned_keys + p * whole.length * panel_width, nullptr,
                         work_.scores.at(0, p * panel_width), work_.scores.stride, nullptr};
    }
    GemmCall call = product(rows, whole, count);
    Activation queries = work_.queries;
    queries.data = head(work_.queries, i) + row * W_ * queries.size;
    multiply(kernels_, queries, call);
  }

  void take_shares(int64_t rows) const {
    SoftmaxCall call;
    call.rows = work_.scores.floats();
    call.stride = work_.scores.stride;
    call.count = rows;
    call.length = T_;
    call.inverse_sums = work_.inverse_sums;
    if (!in_floats()) {
      call.rounded = work_.shares.halves();
      call.rounded_stride = work_.shares.stride;
    }
    kernels_.softmax(call);
  }

  void sum_values(int64_t i, const uint32_t* values, int64_t rows, const Activation& context,
                  int64_t row) const {
    const GemmSegment whole = {0, 0, key_units()};
    for (int64_t p = 0; p < head_panels_; ++p) {
      work_.panels[p] = {values + p * whole.length * panel_width, nullptr,
                         context.at(row, i * W_ + p * panel_width), context.stride, nullptr};
    }
    GemmCall call = product(rows, whole, head_panels_);
    call.finish = GemmFinish::scale_rows;
    call.row_scales = work_.inverse_sums;
    call.out = context.type();
    multiply(kernels_, work_.shares, call);
  }

  const PackedLayer& layer_;
  const HeadSet& heads_;
  const Kernels& kernels_;
  const Workspace& work_;
  AttentionKind kind_;
  int64_t positions_;
  int64_t T_;
  int64_t W_;     // of a head, whole panels
  int64_t read_;  // of a head, without padding
  int64_t head_panels_;
  int64_t each_;                                // numbers in a unit of attention's products
  decltype(Kernels::attend_heads) one_kernel_;  // for all heads, if there is one
  int64_t rows_;                                // of queries at once
  GemmSegment input_;
};

}  // namespace

Precision attention_precision(Precision linear, Isa isa) {
  if (linear == Precision::int8 && isa < Isa::avx512_bf16) return Precision::fp32;
  return linear == Precision::fp32 ? Precision::fp32 : Precision::bf16;
}

bool attends_in_one_kernel(const Kernels& kernels, Precision attention, int64_t head_width) {
  return kernels.attend_heads != nullptr && attention == Precision::bf16 && whole_tiles(head_width);
}

void attend(const EngineWeights& weights, const PackedLayer& layer, const HeadSet& heads,
            const Kernels& kernels, const Workspace& work, int64_t tokens, int64_t queries,
            const Activation& context) {
  const Attention attention(weights, layer, heads, kernels, work, tokens, queries);
  attention.project(queries);
  attention.read_input();
  attention.mix(queries, context);
}

}  // namespace headroom
