#include "train/heads/fit_scores.h"

#include <algorithm>
#include <cmath>

#include "base/measure/label_f1.h"
#include "model/slice.h"
#include "train/heads/fit_lexical.h"
#include "train/heads/row_outputs.h"

namespace headroom {
inline namespace train {
namespace {

constexpr double least_slope = 0.05;  // flatter, the outputs of the budget say nothing

std::vector<float> outputs_at(const ElasticModel& model, const std::vector<Batch>& batches,
                              const ModelConfig& config, double budget) {
  const ModelWeights sliced = slice_model(model.weights, config.selection(budget));
  const RowOutputs rows = row_outputs(
      batches, [&](const Batch& batch) { return forward(sliced, batch, model.evaluation()); });
  std::vector<float> all;
  for (const std::vector<float>& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

double sigmoid_of(double logit) {
  return 1 / (1 + std::exp(-logit));
}

// First to what the full budget would say, then as that is calibrated.
ScoreCalibration chained(const ScoreCalibration& to_full, const ScoreCalibration& full) {
  return {to_full.budget, to_full.temperature * full.temperature, full.apply(to_full.offset),
          full.lexical};
}

}  // namespace

ScoreCalibration fit_calibration(double budget, std::vector<float> outputs, std::vector<float> full,
                                 bool sigmoid) {
  std::sort(outputs.begin(), outputs.end());
  std::sort(full.begin(), full.end());
  double weight = 0;
  double x = 0;
  double y = 0;
  double xx = 0;
  double xy = 0;
  for (size_t i = 0; i < full.size(); ++i) {
    const double p = sigmoid ? sigmoid_of(full[i]) : 0.5;
    const double w = p * (1 - p);
    weight += w;
    x += w * outputs[i];
    y += w * full[i];
    xx += w * outputs[i] * outputs[i];
    xy += w * static_cast<double>(outputs[i]) * full[i];
  }
  if (weight <= 0) return {budget};
  const double spread = xx / weight - (x / weight) * (x / weight);
  const double slope = spread > 0 ? (xy / weight - (x / weight) * (y / weight)) / spread : 0;
  if (slope < least_slope) return {budget};
  return {budget, 1 / slope, (y - slope * x) / weight};
}

void fit_scores(const ElasticModel& model, const std::vector<Batch>& validation,
                const std::vector<double>& budgets, const std::optional<TokenBm25>& lexical,
                ModelConfig& config) {
  const bool sigmoid = config.task == Task::multilabel || config.task == Task::rerank;
  if (validation.empty() || (!sigmoid && config.task != Task::regress)) return;
  std::vector<BudgetOutputs> outputs;
  for (const double budget : budgets) {
    if (budget >= 1 || !config.elastic()) continue;
    outputs.push_back({budget, outputs_at(model, validation, config, budget)});
  }
  outputs.push_back({1.0, outputs_at(model, validation, config, 1.0)});
  const EncodedDataset* rows = validation[0].source;
  if (lexical && rows != nullptr && fit_lexical(*rows, outputs, *lexical, config.output)) return;
  const std::vector<float>& full = outputs.back().values;
  if (config.elastic()) {
    // A model that had scores of its own at the full budget keeps them, and the others follow.
    const ScoreCalibration top = calibration_at(config.output.calibration, 1.0);
    config.output.calibration.clear();
    for (const BudgetOutputs& at : outputs) {
      config.output.calibration.push_back(
          at.budget < 1 ? chained(fit_calibration(at.budget, at.values, full, sigmoid), top) : top);
    }
  }
  if (config.task != Task::multilabel || rows == nullptr) return;
  std::vector<float> scores;
  for (const float logit : full) scores.push_back(static_cast<float>(sigmoid_of(logit)));
  config.output.thresholds =
      best_thresholds(scores, rows->values, static_cast<size_t>(config.shape.labels));
}

}  // namespace train
}  // namespace headroom
