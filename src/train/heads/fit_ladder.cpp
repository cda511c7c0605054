#include "train/heads/fit_ladder.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "budget/ladder/confidence.h"
#include "model/slice.h"
#include "train/evaluate/evaluate.h"
#include "train/heads/row_outputs.h"
#include "tune/promise.h"
#include "tune/tune.h"

namespace headroom {
inline namespace train {
namespace {

std::vector<Scores> scores_at(const ElasticModel& model, const ModelConfig& config,
                              std::span<const Tokens> rows, double budget) {
  EncodedDataset data;
  for (const Tokens& row : rows) data.append(row, 0);
  const ModelWeights sliced = slice_model(model.weights, config.selection(budget));
  const ScoreCalibration calibration = calibration_at(config.output.calibration, budget);
  const RowOutputs outputs =
      row_outputs(evaluation_batches(data, model.device()), [&](const Batch& batch) {
        const torch::Tensor logits = forward(sliced, batch, model.evaluation());
        return torch::softmax(calibrated(logits, calibration), -1);
      });
  std::vector<Scores> scores;
  for (const std::vector<float>& row : outputs) scores.emplace_back(row.begin(), row.end());
  return scores;
}

}  // namespace

StoredPolicy fit_ladder(const ElasticModel& model, const ModelConfig& config, const TaskData& data,
                        uint64_t seed, ProgressSink& progress) {
  if (data.validation.size() < least_policy_rows) {
    progress.note(fmt::format(
        "{} validation rows are too few to calibrate scores by, or for --budget auto (from {}): "
        "headroom tune does it with more",
        data.validation.size(), least_policy_rows));
    return {};
  }
  TuneSettings settings;
  const AgreementPlan plan =
      plan_agreement(static_cast<size_t>(data.validation.size()), settings.certainty);
  settings.promised = plan.promised;
  settings.held_back = plan.held_back;
  settings.or_full_model = true;
  settings.budgets = {0.125, 0.25, 0.5, 1};
  settings.seed = seed;
  settings.ngrams.seed = seed;
  const auto scores = [&](std::span<const Tokens> rows, double budget) {
    return scores_at(model, config, rows, budget);
  };
  TuneReport report =
      tune({config, nullptr, scores}, {inputs_of(data.validation), data.validation.labels},
           inputs_of(data.train), settings, progress);
  report.policy.precision = "fp32";
  return {std::move(report.policy), std::move(report.rung_zero), ""};
}

}  // namespace train
}  // namespace headroom
