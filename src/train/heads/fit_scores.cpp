#include "train/heads/fit_scores.h"

#include <algorithm>
#include <cmath>

#include "base/measure/label_f1.h"
#include "model/slice.h"
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
                const std::vector<double>& budgets, ModelConfig& config) {
  const bool sigmoid = config.task == Task::multilabel || config.task == Task::rerank;
  if (validation.empty() || (!sigmoid && config.task != Task::regress)) return;
  const std::vector<float> full = outputs_at(model, validation, config, 1.0);
  if (config.elastic()) {
    for (const double budget : budgets) {
      if (budget >= 1) continue;
      config.output.calibration.push_back(
          fit_calibration(budget, outputs_at(model, validation, config, budget), full, sigmoid));
    }
    config.output.calibration.push_back({1.0});
  }
  if (config.task != Task::multilabel || validation[0].source == nullptr) return;
  std::vector<float> scores;
  for (const float logit : full) scores.push_back(static_cast<float>(sigmoid_of(logit)));
  config.output.thresholds = best_thresholds(scores, validation[0].source->values,
                                             static_cast<size_t>(config.shape.labels));
}

}  // namespace train
}  // namespace headroom
