#include "engine/encoder/encoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "engine/encoder/attention.h"
#include "engine/encoder/controller.h"
#include "engine/encoder/linear.h"

namespace headroom {
namespace {

void check(const Tokens& sequence, const ModelShape& shape) {
  const auto refuse = [](const std::string& fact) {
    throw Error(ErrorCode::usage, "classify", fact);
  };
  const auto T = static_cast<int64_t>(sequence.ids.size());
  if (T < 1 || T > shape.positions) {
    refuse(fmt::format("a sequence has {} tokens, the model takes 1 to {}", T, shape.positions));
  }
  if (!sequence.types.empty() && sequence.types.size() != sequence.ids.size()) {
    refuse(fmt::format("{} token types for {} tokens", sequence.types.size(), T));
  }
  for (const int32_t id : sequence.ids) {
    if (id < 0 || id >= shape.vocabulary) {
      refuse(fmt::format("token id {}, the vocabulary has {}: ids of another model?", id,
                         shape.vocabulary));
    }
  }
  for (const int32_t type : sequence.types) {
    if (shape.token_types > 0 && (type < 0 || type >= shape.token_types)) {
      refuse(fmt::format("token type {}, the model has {}", type, shape.token_types));
    }
  }
}

// One call's way through the layers.
class Pass {
 public:
  Pass(const EngineWeights& weights, const Kernels& kernels, const Plan& plan,
       std::span<const Workspace> works, const TextThreads& threads)
      : weights_(weights),
        kernels_(kernels),
        plan_(plan),
        work_(works[0]),
        shares_(works, threads),
        activation_(activation_epilogue(weights.shape.activation)) {}

  // Layers [0, end) for the first T rows of the stream. Returns how many heads ran.
  int64_t layers(const Tokens& sequence, int64_t T, int64_t end) const {
    int64_t ran = 0;
    const bool whole_rows = shares_.split_rows(T, bytes_a_layer());
    embed(sequence, T);
    for (int64_t i = 0; i < end; ++i) {
      const HeadSet heads = heads_of(i, T);
      if (!heads.heads.empty()) {
        attend_by_heads(weights_.layers[static_cast<size_t>(i)], heads, T, T, work_.context);
      }
      ran += static_cast<int64_t>(heads.heads.size());
      if (!whole_rows) {
        close_layer(i, heads, T);
        continue;
      }
      shares_.by_range(T, row_unit, [&](const IndexRange& own, const Workspace& work) {
        const Workspace rows = work.from_row(own.begin);
        Pass(weights_, kernels_, plan_, {&rows, 1}, {}).close_layer(i, heads, own.count());
      });
    }
    return ran;
  }

  // Up to the last attention's weighted sums; what is left to do for [CLS] goes to row `slot` of
  // the tail. Returns how many heads ran.
  int64_t body(const Tokens& sequence, int64_t slot) const {
    const int64_t last = plan_.last_attention;
    const auto T = last < 0 ? 1 : static_cast<int64_t>(sequence.ids.size());
    const int64_t ran = layers(sequence, T, std::max<int64_t>(last, 0));
    if (last < 0) {
      copy_to_tail(slot);
      return ran;
    }
    const PackedLayer& layer = weights_.layers[static_cast<size_t>(last)];
    const HeadSet heads = heads_of(last, T);
    const Activation context = work_.tail_context.from_row(slot);
    attend_by_heads(layer, heads, T, 1, context);
    copy_to_tail(slot);
    if (plan_.limit) {  // the next sequence has other heads: no product for several of them
      add_attention(layer, heads, context, work_.tail.from_row(slot), 1);
    }
    return ran + static_cast<int64_t>(heads.heads.size());
  }

  // Behind the last layer.
  void finish(const Stream& stream, int64_t rows) const {
    if (weights_.shape.form.norms == NormOrder::pre)
      normalise(stream, rows, weights_.final_norm, stream);
  }

  // The rest, for the first `rows` rows of the tail.
  void tail(int64_t rows) const {
    const int64_t last = plan_.last_attention;
    if (last >= 0 && !plan_.limit) {
      add_attention(weights_.layers[static_cast<size_t>(last)],
                    plan_.layers[static_cast<size_t>(last)].head_set(), work_.tail_context,
                    work_.tail, rows);
    }
    for (int64_t i = std::max<int64_t>(last, 0); i < weights_.shape.layers; ++i) {
      feed_forward(weights_.layers[static_cast<size_t>(i)], plan_.layers[static_cast<size_t>(i)],
                   work_.tail, work_.tail_hidden, rows);
    }
    finish(work_.tail, rows);
  }

 private:
  // Of the weights that a token meets.
  double bytes_a_layer() const {
    return plan_.macs_a_token / static_cast<double>(weights_.shape.layers) * 4 /
           static_cast<double>(elements_per_lane(weights_.precision));
  }

  // What follows the attention of a layer, for the first rows of the stream: none needs another.
  void close_layer(int64_t index, const HeadSet& heads, int64_t rows) const {
    const PackedLayer& layer = weights_.layers[static_cast<size_t>(index)];
    if (!heads.heads.empty()) add_attention(layer, heads, work_.context, work_.stream, rows);
    feed_forward(layer, plan_.layers[static_cast<size_t>(index)], work_.stream, work_.hidden, rows);
  }

  HeadSet heads_of(int64_t layer, int64_t tokens) const {
    if (!plan_.limit) return plan_.layers[static_cast<size_t>(layer)].head_set();
    return choose_heads(weights_, layer, *plan_.limit, kernels_, work_, tokens);
  }

  // Attention for the first `queries` of T tokens.
  void attend_by_heads(const PackedLayer& layer, const HeadSet& heads, int64_t T, int64_t queries,
                       const Activation& context) const {
    const Stream& input = input_of(work_.stream, T, layer.attention_norm);
    const auto count = static_cast<int64_t>(heads.heads.size());
    shares_.by_range(count, 1, [&](const IndexRange& own, const Workspace& work) {
      const auto first = static_cast<size_t>(own.begin);
      const auto kept = static_cast<size_t>(own.count());
      Activation columns = context;
      columns.data = context.at(0, own.begin * weights_.padded_head_width());
      attend(weights_, layer,
             {heads.heads.subspan(first, kept), heads.slots.subspan(first, kept), {}}, kernels_,
             work, input, T, queries, columns);
    });
  }

  // A product of all rows and panels. Panels are split: every share of rows would read all weights,
  // and products of few rows wait for these.
  void linear(const LinearCall& call) const {
    shares_.by_range(call.panels, panel_unit, [&](const IndexRange& own, const Workspace& work) {
      LinearCall part = call;
      part.first_panel = own.begin;
      part.panels = own.count();
      run_linear(kernels_, part, work.panels);
    });
  }

  // work(first row, how many) for rows that do not depend on each other.
  template <typename RowWork>
  void by_rows(int64_t rows, const RowWork& work) const {
    shares_.by_range(rows, row_unit, [&](const IndexRange& own, const Workspace&) {
      work(own.begin, own.count());
    });
  }

  // The stream's [CLS] row.
  void copy_to_tail(int64_t slot) const {
    copy_row(work_.stream.x, work_.tail.x, slot);
    if (work_.tail.operand.data != work_.tail.x.data) {
      copy_row(work_.stream.operand, work_.tail.operand, slot);
    }
    if (work_.tail.operand.scales != nullptr) {
      work_.tail.operand.scales[slot] = work_.stream.operand.scales[0];
    }
  }

  void embed(const Tokens& sequence, int64_t tokens) const {
    const bool narrow = weights_.embedding_projection.has_value();
    const Stream& rows = narrow ? work_.narrow : work_.stream;
    const int64_t padding = weights_.shape.padding_position;
    by_rows(tokens, [&](int64_t first, int64_t count) {
      if (padding < 0) {
        embed(sequence, first, count, first, rows);
      } else {
        embed_counted(sequence, first, first + count, padding, rows);
      }
      normalise_rows(rows.from_row(first), count, weights_.embedding_norm, rows.from_row(first));
    });
    if (narrow) widen(tokens);
  }

  // Tokens [first, first + count), at the table's rows from `position` on.
  void embed(const Tokens& sequence, int64_t first, int64_t count, int64_t position,
             const Stream& rows) const {
    const int64_t E = weights_.shape.embedding_width();
    EmbedCall call;
    call.ids = sequence.ids.data() + first;
    // A tokenizer may tell types of which the network knows none.
    const bool typed = !sequence.types.empty() && weights_.shape.token_types > 0;
    call.types = typed ? sequence.types.data() + first : nullptr;
    call.tokens = count;
    call.width = E;
    call.word_rows = weights_.words;
    call.position_rows = weights_.positions + position * weights_.position_stride;
    call.position_stride = weights_.position_stride;
    call.type_rows = weights_.types;
    call.out = rows.x.floats() + first * rows.x.stride;
    call.out_stride = rows.x.stride;
    kernels_.embed(call);
  }

  // Tokens [first, last) in runs between those with the id `padding`, which are not counted
  // (ModelShape).
  void embed_counted(const Tokens& sequence, int64_t first, int64_t last, int64_t padding,
                     const Stream& rows) const {
    const auto is_padding = [&](int64_t t) {
      return sequence.ids[static_cast<size_t>(t)] == padding;
    };
    int64_t position = padding + 1;
    for (int64_t t = 0; t < first; ++t) position += is_padding(t) ? 0 : 1;
    while (first < last) {
      int64_t end = first + 1;
      if (is_padding(first)) {
        embed(sequence, first, 1, padding, rows);
      } else {
        while (end < last && !is_padding(end)) ++end;
        embed(sequence, first, end - first, position, rows);
        position += end - first;
      }
      first = end;
    }
  }

  // From the width of the embeddings to that of the stream.
  void widen(int64_t rows) const {
    const PackedMatrix& matrix = *weights_.embedding_projection;
    const GemmSegment all = {0, 0, matrix.lanes()};
    linear({&matrix,
            matrix.panels(),
            work_.narrow.operand,
            rows,
            {&all, 1},
            work_.stream.x,
            GemmStart::bias,
            GemmEpilogue::none});
    by_rows(rows, [&](int64_t first, int64_t count) {
      round_rows(kernels_, work_.stream.from_row(first), count, weights_.shape.width);
    });
  }

  // What a block reads: the stream, or its normalised copy.
  const Stream& input_of(const Stream& stream, int64_t rows, const NormWeights& norm) const {
    if (weights_.shape.form.norms == NormOrder::post || norm.weight.empty()) return stream;
    normalise(stream, rows, norm, work_.normed);
    return work_.normed;
  }

  // Behind the sum of a block and the stream.
  void close_block(const Stream& stream, int64_t rows, const NormWeights& norm) const {
    if (weights_.shape.form.norms == NormOrder::post) normalise(stream, rows, norm, stream);
  }

  void normalise(const Stream& from, int64_t rows, const NormWeights& norm,
                 const Stream& stream) const {
    by_rows(rows, [&](int64_t first, int64_t count) {
      normalise_rows(from.from_row(first), count, norm, stream.from_row(first));
    });
  }

  void normalise_rows(const Stream& from, int64_t rows, const NormWeights& norm,
                      const Stream& stream) const {
    const auto width = static_cast<int64_t>(norm.weight.size());
    LayerNormCall call;
    call.in = from.x.floats();
    call.x = stream.x.floats();
    call.stride = stream.x.stride;
    call.rows = rows;
    call.width = width;
    call.weight = norm.weight.data();
    call.bias = norm.bias.data();
    call.eps = weights_.layer_norm_eps;
    const bool copied = stream.operand.data != stream.x.data;
    if (copied && weights_.precision == Precision::bf16) {
      call.bf16 = stream.operand.bf16();
      call.bf16_stride = stream.operand.stride;
    }
    kernels_.layer_norm(call);
    if (copied && weights_.precision == Precision::int8) {
      quantise(kernels_, stream.x, rows, width, stream.operand);
    }
  }

  // What a linear layer reads of activations that another product wrote.
  Activation operand_of(const Activation& written, int64_t rows, int64_t width) const {
    if (weights_.precision != Precision::int8) return written;
    by_rows(rows, [&](int64_t first, int64_t count) {
      quantise(kernels_, written.from_row(first), count, width, work_.quantised.from_row(first));
    });
    return work_.quantised;
  }

  void add_attention(const PackedLayer& layer, const HeadSet& heads, const Activation& context,
                     const Stream& stream, int64_t rows) const {
    const auto count = static_cast<int64_t>(heads.heads.size());
    const Activation in = operand_of(context, rows, count * weights_.padded_head_width());
    linear({&layer.output, layer.output.panels(), in, rows, heads.output_segments, stream.x,
            GemmStart::accumulate, GemmEpilogue::none});
    close_block(stream, rows, layer.attention_norm);
  }

  // hidden *= what the gate's matrix makes of the same input.
  void apply_gate(const PackedLayer& layer, int64_t neurons, const Stream& input,
                  const Activation& hidden, int64_t rows) const {
    const GemmSegment all = {0, 0, layer.gate.lanes()};
    linear({&layer.gate,
            round_up(neurons, panel_width) / panel_width,
            input.operand,
            rows,
            {&all, 1},
            work_.gate,
            GemmStart::bias,
            GemmEpilogue::none});
    by_rows(rows, [&](int64_t first, int64_t count) {
      kernels_.multiply({hidden.at(first, 0), hidden.stride, work_.gate.at(first, 0),
                         work_.gate.stride, count, neurons, hidden.type()});
    });
  }

  void feed_forward(const PackedLayer& layer, const LayerPlan& plan, const Stream& stream,
                    const Activation& hidden, int64_t rows) const {
    if (plan.ffn == 0) return;
    const int64_t each = elements_per_lane(weights_.precision);
    const Stream& read = input_of(stream, rows, layer.ffn_norm);
    const GemmSegment input = {0, 0, layer.up.lanes()};
    const GemmSegment inside = {0, 0, round_up(plan.ffn, each) / each};
    linear({&layer.up,
            round_up(plan.ffn, panel_width) / panel_width,
            read.operand,
            rows,
            {&input, 1},
            hidden,
            GemmStart::bias,
            activation_.epilogue,
            activation_.gate});
    if (weights_.shape.form.gated_ffn) apply_gate(layer, plan.ffn, read, hidden, rows);
    // The last pair may reach over the budget's last neuron, which the panel computed anyway.
    if (weights_.precision == Precision::bf16 && plan.ffn % each != 0) {
      for (int64_t row = 0; row < rows; ++row) {
        std::memset(hidden.at(row, plan.ffn), 0, static_cast<size_t>(hidden.size));
      }
    }
    linear({&layer.down,
            layer.down.panels(),
            operand_of(hidden, rows, plan.ffn),
            rows,
            {&inside, 1},
            stream.x,
            GemmStart::accumulate,
            GemmEpilogue::none});
    close_block(stream, rows, layer.ffn_norm);
  }

  static void copy_row(const Activation& from, const Activation& to, int64_t row) {
    std::memcpy(to.at(row, 0), from.data, static_cast<size_t>(from.stride * from.size));
  }

  const EngineWeights& weights_;
  const Kernels& kernels_;
  const Plan& plan_;
  const Workspace& work_;  // the first share's
  Shares shares_;
  ActivationEpilogue activation_;  // of the FFN
};

}  // namespace

std::span<const Workspace> Encoder::prepare(std::span<const Tokens> sequences,
                                            const TextThreads& threads, Arena& arena) const {
  int64_t longest = tail_rows;  // a head may borrow the stream for the tail's rows
  int shares = 1;
  for (const Tokens& sequence : sequences) {
    check(sequence, weights_.shape);
    const auto T = static_cast<int64_t>(sequence.ids.size());
    longest = std::max(longest, T);
    shares = std::max(shares, threads.most(T));
  }
  const AttentionMode attention =
      attention_mode(weights_.precision, kernels_, weights_.padded_head_width());
  return make_workspaces(weights_, attention, longest, shares, arena);
}

float* Encoder::run_alike(std::span<const Tokens> sequences, const Plan& plan, float* outputs,
                          std::span<const Workspace> works, std::span<int64_t> heads_run,
                          const TextThreads& threads) const {
  const Workspace& work = works[0];
  // On as many threads as are worth it.
  const auto pass_for = [&](size_t i) {
    const auto T = static_cast<int64_t>(sequences[i].ids.size());
    const auto shares = static_cast<size_t>(threads.at(weights_, plan, T));
    return Pass(weights_, kernels_, plan, works.first(shares), threads);
  };
  const auto count = [&](size_t sequence, int64_t heads) {
    if (!heads_run.empty()) heads_run[sequence] = heads;
  };
  if (head_.rows() != Rows::first) {
    for (size_t i = 0; i < sequences.size(); ++i) {
      const auto T = static_cast<int64_t>(sequences[i].ids.size());
      const Pass pass = pass_for(i);
      count(i, pass.layers(sequences[i], T, weights_.shape.layers));
      pass.finish(work.stream, T);
      head_.compute({kernels_, work, work.stream, T}, outputs);
      outputs += outputs_of(sequences[i]);
    }
    return outputs;
  }
  for (size_t first = 0; first < sequences.size(); first += static_cast<size_t>(tail_rows)) {
    const auto rows = std::min(tail_rows, static_cast<int64_t>(sequences.size() - first));
    for (int64_t slot = 0; slot < rows; ++slot) {
      const size_t i = first + static_cast<size_t>(slot);
      count(i, pass_for(i).body(sequences[i], slot));
    }
    pass_for(first).tail(rows);
    head_.compute({kernels_, work, work.tail, rows}, outputs);
    outputs += rows * head_.width();
  }
  return outputs;
}

void Encoder::run(std::span<const Tokens> sequences, const Plan& plan, std::span<float> outputs,
                  Arena& arena, const TextThreads& threads) const {
  run_alike(sequences, plan, outputs.data(), prepare(sequences, threads, arena), {}, threads);
}

void Encoder::run(std::span<const Tokens> sequences, std::span<const Plan* const> plans,
                  std::span<float> outputs, Arena& arena, std::span<int64_t> heads_run,
                  const TextThreads& threads) const {
  const std::span<const Workspace> works = prepare(sequences, threads, arena);
  float* next = outputs.data();
  for (size_t first = 0; first < sequences.size();) {
    size_t end = first + 1;
    while (end < sequences.size() && plans[end] == plans[first]) ++end;
    next =
        run_alike(sequences.subspan(first, end - first), *plans[first], next, works,
                  heads_run.empty() ? heads_run : heads_run.subspan(first, end - first), threads);
    first = end;
  }
}

}  // namespace headroom
