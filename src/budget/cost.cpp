#include "budget/cost.h"

namespace headroom {

double head_macs(const ModelShape& shape, int64_t tokens) {
  const auto T = static_cast<double>(tokens);
  const auto D = static_cast<double>(shape.width);
  const auto W = static_cast<double>(shape.head_width());
  const auto projections = static_cast<double>(input_projections(shape.attention) + 1);
  const double over_tokens = has_mixing(shape.attention) ? 3 : 2;
  return projections * T * D * W + over_tokens * T * T * W;
}

Cost cost_of(const ModelShape& shape, const Selection& selection, int64_t tokens) {
  const auto T = static_cast<double>(tokens);
  const auto D = static_cast<double>(shape.width);
  Cost cost;
  cost.attention_macs = static_cast<double>(selection.total()) * head_macs(shape, tokens);
  cost.model_macs = cost.attention_macs + D * D + D * static_cast<double>(shape.labels);
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    cost.model_macs += 2 * T * D * static_cast<double>(selection.ffn_of(layer, shape.ffn));
  }
  return cost;
}

Cost mean_cost(const ModelShape& shape, const Selection& selection,
               const std::vector<int64_t>& lengths) {
  Cost mean;
  for (const int64_t tokens : lengths) {
    const Cost cost = cost_of(shape, selection, tokens);
    mean.attention_macs += cost.attention_macs / static_cast<double>(lengths.size());
    mean.model_macs += cost.model_macs / static_cast<double>(lengths.size());
  }
  return mean;
}

int64_t attention_parameter_count(const ModelShape& shape, const Selection& selection) {
  const int64_t D = shape.width;
  const int64_t W = shape.head_width();
  const int64_t projections = input_projections(shape.attention);
  const int64_t per_head = (projections + 1) * D * W + projections * W;
  const int64_t mixing = has_mixing(shape.attention) ? shape.positions * shape.positions : 0;
  const int64_t per_layer = D + mixing;  // O's bias; the others are per head
  int64_t count = selection.total() * per_head;
  for (const auto& kept : selection.kept) count += kept.empty() ? 0 : per_layer;
  return count;
}

int64_t parameter_count(const ModelShape& shape, const Selection& selection) {
  const int64_t D = shape.width;
  const int64_t norm = 2 * D;
  const int64_t embeddings = (shape.vocabulary + shape.positions + shape.token_types) * D + norm;
  const int64_t head = D * D + D + D * shape.labels + shape.labels;  // pooler, classifier
  int64_t count = embeddings + attention_parameter_count(shape, selection) + head;
  for (int64_t layer = 0; layer < shape.layers; ++layer) {  // a skipped block leaves nothing
    const int64_t F = selection.ffn_of(layer, shape.ffn);
    if (!selection.kept[static_cast<size_t>(layer)].empty()) count += norm;
    if (F > 0) count += D * F + F + F * D + D + norm;
  }
  return count;
}

double speedup_cap(const ModelShape& shape, const Selection& selection, int64_t tokens) {
  const Selection dense = all_heads(shape.layers, shape.heads);
  return cost_of(shape, dense, tokens).model_macs / cost_of(shape, selection, tokens).model_macs;
}

}  // namespace headroom
