#include "train/score_budgets.h"

#include "budget/cost.h"
#include "model/slice.h"
#include "train/evaluate.h"

namespace headroom {
namespace {

constexpr int batch_size_cpu = 64;  // 64 x 64 tokens of width 256 stay inside L2 and L3
constexpr int batch_size_gpu = 512;

}  // namespace

Json to_json(const BudgetScore& score) {
  Json json;
  json["budget"] = score.budget;
  json["accuracy"] = score.accuracy;
  json["examples"] = score.examples;
  json["active_heads"] = score.active_heads;
  json["active_ffn"] = score.active_ffn;
  json["attention_macs"] = score.attention_macs;
  json["model_macs"] = score.model_macs;
  json["model_macs_fraction"] = score.model_macs_fraction;
  json["parameters"] = score.parameters;
  json["loss"] = score.loss;
  return json;
}

std::vector<BudgetScore> score_budgets(const ElasticModel& model, const ModelConfig& config,
                                       const EncodedDataset& data,
                                       const std::vector<double>& budgets) {
  const int batch_size = model.device().is_cuda() ? batch_size_gpu : batch_size_cpu;
  const std::vector<Batch> batches = evaluation_batches(data, batch_size, model.device());
  std::vector<int64_t> lengths;
  for (const int32_t length : data.lengths()) lengths.push_back(length);
  const Selection dense = all_heads(config.shape.layers, config.shape.heads);
  const Cost dense_cost = mean_cost(config.shape, dense, lengths);
  std::vector<BudgetScore> scores;
  for (const double budget : budgets) {
    const Selection selection = config.selection(budget);
    const ModelWeights sliced = slice_model(model.weights, selection);
    const Evaluation result = evaluate(sliced, batches, model.evaluation());
    const Cost cost = mean_cost(config.shape, selection, lengths);
    scores.push_back({budget, result.accuracy, result.loss, result.examples,
                      selection.active_fraction(), selection.active_ffn(config.shape.ffn),
                      cost.attention_macs, cost.model_macs, cost.model_macs / dense_cost.model_macs,
                      parameter_count(config.shape, selection)});
  }
  return scores;
}

}  // namespace headroom
