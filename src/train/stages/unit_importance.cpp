#include "train/stages/unit_importance.h"

#include <algorithm>
#include <numeric>

#include "budget/order.h"

namespace headroom {
inline namespace train {
namespace {

std::vector<std::vector<double>> to_rows(const torch::Tensor& matrix) {
  const torch::Tensor cpu = matrix.to(torch::kCPU, torch::kFloat64).contiguous();
  std::vector<std::vector<double>> rows;
  for (int64_t i = 0; i < cpu.size(0); ++i) {
    const auto* row = cpu.data_ptr<double>() + i * cpu.size(1);
    rows.emplace_back(row, row + cpu.size(1));
  }
  return rows;
}

std::vector<double> sorted_descending(std::vector<double> scores) {
  std::sort(scores.begin(), scores.end(), std::greater<>());
  return scores;
}

// Heads that must stay where they are count alike within their layer.
void level_heads(UnitImportance& importance) {
  for (auto& layer : importance.heads) {
    const double sum = std::accumulate(layer.begin(), layer.end(), 0.0);
    std::fill(layer.begin(), layer.end(), sum / static_cast<double>(layer.size()));
  }
}

std::vector<double> group_sums(const std::vector<double>& neurons, int64_t width) {
  std::vector<double> sums(neurons.size() / static_cast<size_t>(width));
  for (size_t i = 0; i < neurons.size(); ++i) sums[i / static_cast<size_t>(width)] += neurons[i];
  return sums;
}

}  // namespace

UnitImportance measure_importance(const ElasticModel& model, const std::vector<Batch>& batches) {
  const int64_t L = model.shape.layers;
  const auto options = torch::TensorOptions().device(model.device());
  torch::Tensor heads = torch::zeros({L, model.shape.heads}, options);
  torch::Tensor neurons = torch::zeros({L, model.shape.ffn}, options);
  for (const Batch& batch : batches) {
    // A gate per example, so that examples pulling in opposite directions do not cancel.
    const int64_t B = batch.size();
    const torch::Tensor head_gates =
        torch::ones({L, B, model.shape.heads}, options).requires_grad_(true);
    const torch::Tensor ffn_gates =
        torch::ones({L, B, model.shape.ffn}, options).requires_grad_(true);
    ForwardOptions forward_options = model.evaluation(head_gates);
    forward_options.ffn_gates = ffn_gates;
    const torch::Tensor loss =
        model.objective->loss(forward(model.weights, batch, forward_options), batch, 0.0) *
        static_cast<double>(B);
    const auto gradients = torch::autograd::grad({loss}, {head_gates, ffn_gates});
    heads += gradients[0].abs().sum(1);
    neurons += gradients[1].abs().sum(1);
  }
  int64_t examples = 0;
  for (const Batch& batch : batches) examples += batch.size();
  return {to_rows(heads / examples), to_rows(neurons / examples)};
}

UnitPermutation by_importance(const UnitImportance& importance) {
  UnitPermutation permutation;
  for (const auto& layer : importance.heads) permutation.heads.push_back(argsort_descending(layer));
  for (const auto& layer : importance.neurons)
    permutation.neurons.push_back(argsort_descending(layer));
  return permutation;
}

UnitOrder order_for(const ModelShape& shape, const UnitImportance& sorted,
                    const NestedSettings& settings) {
  const int64_t width = settings.scope == Scope::heads ? 0
                        : settings.group_width > 0     ? settings.group_width
                                                       : default_group_width(shape.ffn);
  if (settings.allocation == Allocation::uniform) return uniform_order(shape, width);
  if (settings.allocation == Allocation::depth) return depth_order(shape, width);
  UnitScores scores{sorted.heads, {}};
  if (width > 0) {
    for (const auto& layer : sorted.neurons) scores.groups.push_back(group_sums(layer, width));
  }
  return ranked_order(shape, width, scores);
}

void arrange_units(ElasticModel& model, const std::vector<Batch>& batches,
                   const NestedSettings& settings) {
  UnitImportance importance = measure_importance(model, batches);
  if (!model.shape.heads_can_move()) level_heads(importance);
  reorder_units(model.weights, by_importance(importance));
  for (auto& layer : importance.heads) layer = sorted_descending(std::move(layer));
  for (auto& layer : importance.neurons) layer = sorted_descending(std::move(layer));
  model.order = order_for(model.shape, importance, settings);
}

}  // namespace train
}  // namespace headroom
