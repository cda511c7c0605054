#include "budget/cost.h"

namespace headroom {
namespace {

// Everything outside the layers: patches or narrow embeddings in, and pooler and classifier or the
// word table out.
double output_macs(const ModelShape& shape, int64_t tokens) {
  const auto D = static_cast<double>(shape.width);
  const auto T = static_cast<double>(tokens);
  if (shape.decoder_layers > 0) return 0;  // the decoder has them
  if (shape.causal) return T * D * static_cast<double>(shape.vocabulary);
  const double patches = (T - 1) * D * static_cast<double>(shape.patch_values);
  const double widened = T * D * static_cast<double>(shape.embedding);
  const auto labels = static_cast<double>(shape.labels);
  if (shape.readout == Readout::tokens) return widened + T * D * labels;
  if (shape.readout == Readout::vector) return widened + D * static_cast<double>(shape.dense);
  return D * D + D * labels + widened + (shape.patch_values > 0 ? patches : 0.0);
}

// Queries of `target` tokens over keys and values of `source` tokens, all heads.
double cross_macs(const ModelShape& shape, double source, double target) {
  const auto D = static_cast<double>(shape.width);
  const auto projected = static_cast<double>(input_projections(shape.attention) - 1);
  const double mixing = has_mixing(shape.attention) ? source * source * D : 0.0;
  return 2 * target * D * D + projected * source * D * D + 2 * target * source * D + mixing;
}

int64_t linear_count(int64_t in, int64_t out) {
  return in * out + out;
}

// The same in a network that may be without biases.
int64_t linear_count(const ModelShape& shape, int64_t in, int64_t out) {
  return in * out + (shape.form.biases ? out : 0);
}

int64_t norm_count(const ModelShape& shape) {
  return (shape.form.biases ? 2 : 1) * shape.width;
}

// Matrices of D by F, in and out.
int64_t ffn_matrices(const ModelShape& shape) {
  return shape.form.gated_ffn ? 3 : 2;
}

// The table of relative positions and its norm.
int64_t relative_count(const ModelShape& shape) {
  return shape.disentangled.rows() * shape.width +
         (shape.disentangled.norm ? norm_count(shape) : 0);
}

// Of relative positions, of a head.
int64_t relative_projections(const ModelShape& shape) {
  return shape.disentangled.shared_projections ? 0 : shape.disentangled.terms() - 1;
}

int64_t output_count(const ModelShape& shape) {
  const int64_t D = shape.width;
  if (shape.generates()) return shape.vocabulary;
  if (shape.readout == Readout::vector) return shape.dense > 0 ? linear_count(D, shape.dense) : 0;
  const int64_t classifier = linear_count(D, shape.labels);
  if (shape.readout == Readout::tokens) return classifier;
  return linear_count(shape, D, D) + (shape.form.pooler_norm ? norm_count(shape) : 0) + classifier;
}

// Both attentions of every decoder layer.
int64_t decoder_attention_count(const ModelShape& shape) {
  const int64_t D = shape.width;
  const int64_t mixing = has_mixing(shape.attention) ? shape.positions * shape.positions : 0;
  const int64_t projections = input_projections(shape.attention) + 1;
  return shape.decoder_layers * 2 * (projections * linear_count(D, D) + mixing);
}

// What else a decoder layer has: FFN and three norms.
int64_t decoder_rest_count(const ModelShape& shape) {
  const int64_t D = shape.width;
  return shape.decoder_layers * (linear_count(D, shape.ffn) + linear_count(shape.ffn, D) + 6 * D);
}

int64_t embedding_count(const ModelShape& shape) {
  const int64_t D = shape.width;
  const int64_t E = shape.embedding_width();
  const int64_t positions = shape.has_position_table() ? shape.position_rows() : 0;
  const int64_t tables = (positions + shape.token_types) * E + (shape.form.biases ? 2 : 1) * E;
  const int64_t projection = shape.embedding > 0 ? linear_count(E, D) : 0;
  return tables + projection + shape.relative_buckets * shape.heads +
         (shape.patch_values > 0 ? linear_count(shape.patch_values, D) + D : shape.vocabulary * E);
}

// What a head of a layer that sees a window alone has less to do than head_macs(): scores and sums
// for keys further away.
double macs_outside_window(const ModelShape& shape, int64_t layer, int64_t tokens) {
  const int64_t far = tokens - 1 - shape.rotary.window_of(layer);
  if (!shape.rotary.is_local(layer) || far <= 0) return 0;
  return 2.0 * static_cast<double>(far * (far + 1) * shape.head_width());
}

// `attention` of all layers' heads, `neurons` of all their FFNs.
Cost cost_of_units(const ModelShape& shape, double attention, int64_t neurons, int64_t tokens) {
  const auto T = static_cast<double>(tokens);
  const auto D = static_cast<double>(shape.width);
  Cost cost;
  cost.attention_macs =
      attention + static_cast<double>(shape.layers) * controller_macs(shape, tokens);
  cost.model_macs = cost.attention_macs + output_macs(shape, tokens) +
                    static_cast<double>(ffn_matrices(shape)) * T * D * static_cast<double>(neurons);
  return cost;
}

template <typename CostAt>
Cost mean_over(const std::vector<int64_t>& lengths, const CostAt& cost_at) {
  Cost mean;
  for (const int64_t tokens : lengths) {
    const Cost cost = cost_at(tokens);
    mean.attention_macs += cost.attention_macs / static_cast<double>(lengths.size());
    mean.model_macs += cost.model_macs / static_cast<double>(lengths.size());
  }
  return mean;
}

}  // namespace

double head_macs(const ModelShape& shape, int64_t tokens) {
  const auto T = static_cast<double>(tokens);
  const auto D = static_cast<double>(shape.width);
  const auto W = static_cast<double>(shape.head_width());
  const auto projections = static_cast<double>(input_projections(shape.attention) + 1);
  const double over_tokens = (has_mixing(shape.attention) ? 3.0 : 2.0) +
                             static_cast<double>(shape.disentangled.terms() - 1);
  return projections * T * D * W + over_tokens * T * T * W;
}

double controller_macs(const ModelShape& shape, int64_t tokens) {
  if (shape.controller == 0) return 0;
  const auto D = static_cast<double>(shape.width);
  const auto C = static_cast<double>(shape.controller);
  return static_cast<double>(tokens) * D + D * C + C + D * static_cast<double>(shape.heads);
}

Cost cost_of(const ModelShape& shape, const Selection& selection, int64_t tokens) {
  double attention = 0;
  int64_t neurons = 0;
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    attention += static_cast<double>(selection.heads_of(layer)) *
                 (head_macs(shape, tokens) - macs_outside_window(shape, layer, tokens));
    neurons += selection.ffn_of(layer, shape.ffn);
  }
  return cost_of_units(shape, attention, neurons, tokens);
}

Cost cost_of_heads(const ModelShape& shape, int64_t heads, int64_t tokens) {
  double outside = 0;  // of a head of each layer; which layers the heads are of is not known
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    outside += macs_outside_window(shape, layer, tokens);
  }
  const double attention = static_cast<double>(heads) *
                           (head_macs(shape, tokens) - outside / static_cast<double>(shape.layers));
  return cost_of_units(shape, attention, shape.layers * shape.ffn, tokens);
}

Cost dense_cost(const ModelShape& shape, int64_t tokens) {
  ModelShape plain = shape;
  plain.controller = 0;
  return cost_of_heads(plain, plain.total_heads(), tokens);
}

Cost translation_cost(const ModelShape& shape, int64_t source, int64_t target) {
  const auto S = static_cast<double>(source);
  const auto T = static_cast<double>(target);
  const auto D = static_cast<double>(shape.width);
  Cost cost = cost_of(shape, all_heads(shape.layers, shape.heads), source);
  const double self = static_cast<double>(shape.heads) * head_macs(shape, target);
  const double attention = self + cross_macs(shape, S, T);
  const auto layers = static_cast<double>(shape.decoder_layers);
  cost.attention_macs += layers * attention;
  cost.model_macs += layers * (attention + 2 * T * D * static_cast<double>(shape.ffn)) +
                     T * D * static_cast<double>(shape.vocabulary);
  return cost;
}

Cost mean_cost(const ModelShape& shape, const Selection& selection,
               const std::vector<int64_t>& lengths) {
  return mean_over(lengths, [&](int64_t tokens) { return cost_of(shape, selection, tokens); });
}

Cost mean_dense_cost(const ModelShape& shape, const std::vector<int64_t>& lengths) {
  return mean_over(lengths, [&](int64_t tokens) { return dense_cost(shape, tokens); });
}

double published_attention_macs(const ModelShape& shape, double share, int64_t tokens) {
  const auto T = static_cast<double>(tokens);
  const auto D = static_cast<double>(shape.width);
  return 4 * T * D * D + share * 2 * T * T * D + controller_macs(shape, tokens);
}

int64_t attention_parameter_count(const ModelShape& shape, const Selection& selection) {
  const int64_t D = shape.width;
  const int64_t W = shape.head_width();
  const int64_t projections = input_projections(shape.attention);
  const int64_t rows = projections + relative_projections(shape);  // into the head
  const int64_t per_head = (rows + 1) * D * W + (shape.form.biases ? rows * W : 0);
  const int64_t mixing = has_mixing(shape.attention) ? shape.positions * shape.positions : 0;
  // O's bias; the others are per head.
  const int64_t per_layer = (shape.form.biases ? D : 0) + mixing;
  int64_t count = selection.total() * per_head + decoder_attention_count(shape);
  for (const auto& kept : selection.kept) count += kept.empty() ? 0 : per_layer;
  return count;
}

int64_t parameter_count(const ModelShape& shape, const Selection& selection) {
  const int64_t D = shape.width;
  const int64_t norm = norm_count(shape);
  const int64_t head = output_count(shape);
  const int64_t C = shape.controller;
  const int64_t controller =
      C > 0 ? linear_count(D, C) + linear_count(C, 1) + linear_count(D, shape.heads) : 0;
  int64_t count = embedding_count(shape) + attention_parameter_count(shape, selection) + head +
                  relative_count(shape) + decoder_rest_count(shape) + shape.layers * controller;
  for (int64_t layer = 0; layer < shape.layers; ++layer) {  // a skipped block leaves nothing
    const int64_t F = selection.ffn_of(layer, shape.ffn);
    if (!selection.kept[static_cast<size_t>(layer)].empty()) count += norm;
    if (F > 0) {
      count += (ffn_matrices(shape) - 1) * linear_count(shape, D, F) + linear_count(shape, F, D);
      count += norm;
    }
  }
  return count;
}

double speedup_cap(const ModelShape& shape, const Selection& selection, int64_t tokens) {
  return dense_cost(shape, tokens).model_macs / cost_of(shape, selection, tokens).model_macs;
}

}  // namespace headroom
