#include "train/heads/fit_ladder.h"

#include <fmt/format.h>

#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
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

// Of rows of text.
EncodedDataset pick_rows(const EncodedDataset& all, std::span<const int64_t> chosen) {
  EncodedDataset picked;
  for (const int64_t row : chosen) {
    const auto ids = all.row(row);
    const auto types = all.row_types(row);
    picked.append(Tokens{{ids.begin(), ids.end()}, {types.begin(), types.end()}},
                  all.labels[static_cast<size_t>(row)]);
  }
  return picked;
}

// Row numbers 0 ... rows - 1 in random order.
std::vector<int64_t> shuffled_numbers(int64_t rows, Random random) {
  std::vector<int64_t> numbers(static_cast<size_t>(rows));
  std::iota(numbers.begin(), numbers.end(), int64_t{0});
  random.shuffle(numbers);
  return numbers;
}

}  // namespace

std::vector<Tokens> rows_to_distil(const EncodedDataset& train, int64_t most, uint64_t seed,
                                   ProgressSink& progress) {
  if (train.size() <= most) return inputs_of(train);
  progress.note(fmt::format("rung zero of --budget auto learns from {} of the {} training rows",
                            most, train.size()));
  const std::vector<int64_t> order = shuffled_numbers(train.size(), {seed, 0x6e677261});
  return inputs_of(pick_rows(train, std::span(order).first(static_cast<size_t>(most))));
}

void hold_back_rows(TaskData& data, uint64_t seed) {
  const int64_t rows = data.validation.size();
  if (rows < least_policy_rows) return;
  const AgreementPlan plan = plan_agreement(static_cast<size_t>(rows), TuneSettings().certainty);
  const std::vector<int64_t> order = shuffled_numbers(rows, {seed, 0x68656c64});
  const EncodedDataset all = std::exchange(data.validation, {});
  data.held_back = pick_rows(all, std::span(order).first(plan.held_back));
  data.validation = pick_rows(all, std::span(order).subspan(plan.held_back));
}

StoredPolicy fit_ladder(const ElasticModel& model, const ModelConfig& config, const TaskData& data,
                        uint64_t seed, ProgressSink& progress) {
  if (data.held_back.size() == 0) {
    progress.note(fmt::format(
        "{} validation rows are too few to calibrate scores by, or for --budget auto (from {}): "
        "headroom tune does it with more",
        data.validation.size(), least_policy_rows));
    return {};
  }
  TuneSettings settings;
  const int64_t validation_rows = data.validation.size() + data.held_back.size();
  settings.promised =
      plan_agreement(static_cast<size_t>(validation_rows), settings.certainty).promised;
  settings.or_full_model = true;
  settings.budgets = {0.125, 0.25, 0.5, 1};
  settings.ngrams.seed = seed;
  const auto scores = [&](std::span<const Tokens> rows, double budget) {
    return scores_at(model, config, rows, budget);
  };
  const TunableModel tunable{config, nullptr, scores};
  const auto scored = [&](const EncodedDataset& rows, const std::optional<NgramBag>& rung_zero) {
    return score_rows(tunable, {inputs_of(rows), rows.labels}, rung_zero, settings.budgets,
                      progress);
  };
  std::optional<NgramBag> rung_zero =
      distil(tunable, rows_to_distil(data.train, most_distilled_rows, seed, progress),
             settings.ngrams, progress);
  Policy policy =
      fit_policy(scored(data.validation, rung_zero), scored(data.held_back, rung_zero), settings)
          .policy;
  policy.precision = "fp32";
  return {std::move(policy), std::move(rung_zero), ""};
}

}  // namespace train
}  // namespace headroom
