#include "budget/cost.h"

namespace headroom {

Cost cost_of(const ModelShape& shape, const HeadSelection& selection, int64_t tokens) {
  const auto T = static_cast<double>(tokens);
  const auto D = static_cast<double>(shape.width);
  const auto F = static_cast<double>(shape.ffn);
  const auto W = static_cast<double>(shape.head_width());
  const double per_head = 4 * T * D * W + 2 * T * T * W;  // Q, K, V, O; then scores and sums
  Cost cost;
  cost.attention_macs = static_cast<double>(selection.total()) * per_head;
  cost.model_macs = cost.attention_macs + static_cast<double>(shape.layers) * 2 * T * D * F +
                    D * D + D * static_cast<double>(shape.labels);
  return cost;
}

Cost mean_cost(const ModelShape& shape, const HeadSelection& selection,
               const std::vector<int64_t>& lengths) {
  Cost mean;
  for (const int64_t tokens : lengths) {
    const Cost cost = cost_of(shape, selection, tokens);
    mean.attention_macs += cost.attention_macs / static_cast<double>(lengths.size());
    mean.model_macs += cost.model_macs / static_cast<double>(lengths.size());
  }
  return mean;
}

int64_t attention_parameter_count(const ModelShape& shape, const HeadSelection& selection) {
  const int64_t D = shape.width;
  const int64_t W = shape.head_width();
  const int64_t per_head = 4 * D * W + 3 * W;  // biases of Q, K, V are per head; O's is per layer
  return selection.total() * per_head + shape.layers * D;
}

int64_t parameter_count(const ModelShape& shape, const HeadSelection& selection) {
  const int64_t D = shape.width;
  const int64_t F = shape.ffn;
  const int64_t norm = 2 * D;
  const int64_t embeddings = (shape.vocabulary + shape.positions + shape.token_types) * D + norm;
  const int64_t layer_rest = D * F + F + F * D + D + 2 * norm;
  const int64_t head = D * D + D + D * shape.labels + shape.labels;  // pooler, classifier
  return embeddings + shape.layers * layer_rest + attention_parameter_count(shape, selection) +
         head;
}

double speedup_cap(const ModelShape& shape, const HeadSelection& selection, int64_t tokens) {
  const HeadSelection dense = all_heads(shape.layers, shape.heads);
  return cost_of(shape, dense, tokens).model_macs / cost_of(shape, selection, tokens).model_macs;
}

}  // namespace headroom
