#include "tune/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/interrupt.h"
#include "base/measure/machine.h"
#include "base/random.h"
#include "budget/cost.h"
#include "tune/promise.h"

namespace headroom {
namespace {

constexpr size_t rows_a_call = 256;  // between looks at the interrupt flag
constexpr size_t lower_levels = 7;   // that a server may fall back to

std::vector<Scores> scores_at(const TunableModel& model, const std::vector<Tokens>& inputs,
                              double budget, ProgressUpdate& update, ProgressSink& progress) {
  std::vector<Scores> scores;
  update.detail = fmt::format("budget {}", budget);
  for (size_t begin = 0; begin < inputs.size(); begin += rows_a_call) {
    if (interrupt_requested()) throw Error(ErrorCode::interrupted, "tune", "stopped");
    const size_t count = std::min(rows_a_call, inputs.size() - begin);
    for (Scores& row : model.scores(std::span(inputs).subspan(begin, count), budget)) {
      scores.push_back(std::move(row));
    }
    update.done += static_cast<int64_t>(count);
    progress.update(update);
  }
  return scores;
}

// Of dense's, at the mean length: measured where this machine was calibrated, MACs otherwise.
double cost_share(const TunableModel& model, double budget, int64_t tokens) {
  const ModelConfig& config = model.config;
  if (model.table != nullptr) {
    return model.table->estimate(budget, tokens).median_ms /
           model.table->estimate(1, tokens).median_ms;
  }
  return cost_of(config.shape, config.selection(budget), tokens).model_macs /
         dense_cost(config.shape, tokens).model_macs;
}

int64_t mean_length(const std::vector<Tokens>& inputs) {
  size_t tokens = 0;
  for (const Tokens& input : inputs) tokens += input.ids.size();
  return static_cast<int64_t>(std::max<size_t>(1, tokens / std::max<size_t>(1, inputs.size())));
}

// What scores should be: the label where it is known, else what the full model says.
std::vector<Scores> targets_of(const ScoredRows& rows) {
  if (!rows.labelled()) return rows.at_budgets.back().scores;
  std::vector<Scores> targets;
  for (size_t row = 0; row < rows.size(); ++row) {
    Scores target(rows.at_budgets.back().scores[row].size());
    target[static_cast<size_t>(rows.labels[row])] = 1;
    targets.push_back(std::move(target));
  }
  return targets;
}

double share_of(const ScoredRows& rows, size_t budget, const auto& holds) {
  size_t count = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    if (holds(row, best_label(rows.at_budgets[budget].scores[row]))) ++count;
  }
  return static_cast<double>(count) / static_cast<double>(rows.size());
}

void apply(const BudgetCalibration& at, std::span<const Scores> zero, std::vector<Scores>& scores) {
  for (size_t row = 0; row < scores.size(); ++row) {
    apply_temperature(scores[row], at.temperature);
    if (at.rung_zero > 0) blend(scores[row], zero[row], at.rung_zero);
  }
}

// Fits every budget's temperature and what rung zero says in its answers, and gives both parts the
// scores that it makes.
std::vector<BudgetCalibration> calibrate_budgets(ScoredRows& fitted, ScoredRows& checked,
                                                 bool blends) {
  const std::vector<Scores> targets = targets_of(fitted);
  std::vector<BudgetCalibration> budgets;
  for (size_t i = 0; i < fitted.at_budgets.size(); ++i) {
    BudgetCalibration at;
    at.budget = fitted.at_budgets[i].budget;
    std::vector<Scores>& scores = checked.at_budgets[i].scores;
    if (checked.labelled()) at.error_before = calibration_error(scores, checked.labels);
    const std::vector<Scores>& zero = fitted.at_budgets.front().scores;
    if (blends && i > 0 && fitted.at_budgets.front().budget == 0) {
      const BlendFit fit = fit_blend(fitted.at_budgets[i].scores, zero, targets);
      at.temperature = fit.temperature;
      at.rung_zero = fit.weight;
    } else {
      at.temperature = fit_temperature(fitted.at_budgets[i].scores, targets);
    }
    apply(at, zero, fitted.at_budgets[i].scores);
    apply(at, checked.at_budgets.front().scores, scores);
    if (checked.labelled()) {
      at.error_after = calibration_error(scores, checked.labels);
      at.accuracy = share_of(checked, i, [&](size_t row, size_t label) {
        return label == static_cast<size_t>(checked.labels[row]);
      });
    }
    budgets.push_back(at);
  }
  const std::vector<Scores>& full = checked.at_budgets.back().scores;
  for (size_t i = 0; i < budgets.size(); ++i) {
    budgets[i].agreement = share_of(
        checked, i, [&](size_t row, size_t label) { return label == best_label(full[row]); });
  }
  return budgets;
}

LadderLevel level_of(const ScoredRows& rows, const LadderCandidate& ladder) {
  LadderLevel level;
  level.thresholds = ladder.thresholds;
  level.reached.assign(ladder.budgets.size(), 0);
  const std::vector<size_t> last = last_rungs(rows, ladder);
  const auto count = static_cast<double>(rows.size());
  double agree = 0;
  double right = 0;
  for (size_t row = 0; row < rows.size(); ++row) {
    for (size_t rung = 0; rung <= last[row]; ++rung) ++level.reached[rung];
    const size_t budget = ladder.budgets[last[row]];
    agree += loss_of(rows, Loss::disagreement, budget, row) == 0 ? 1 : 0;
    if (!rows.labelled()) continue;
    right +=
        best_label(rows.at_budgets[budget].scores[row]) == static_cast<size_t>(rows.labels[row])
            ? 1
            : 0;
  }
  for (double& reached : level.reached) reached /= count;  // shares of counts: 1 is exactly 1
  level.agreement = agree / count;
  if (rows.labelled()) level.accuracy = right / count;
  level.mean_budget = 0;
  for (size_t rung = 0; rung < ladder.budgets.size(); ++rung) {
    level.mean_budget += level.reached[rung] * rows.at_budgets[ladder.budgets[rung]].budget;
  }
  return level;
}

// Cheaper thresholds for the same rungs, from "the first rung answers all" up to the chosen ones.
std::vector<LadderCandidate> cheaper_levels(const ScoredRows& fitted, const LadderSearch& search,
                                            const LadderCandidate& chosen) {
  std::vector<LadderCandidate> all = search_thresholds(fitted, search, chosen);
  std::erase_if(all, [&](const LadderCandidate& ladder) { return ladder.cost >= chosen.cost; });
  std::reverse(all.begin(), all.end());  // cheapest first
  std::vector<LadderCandidate> levels;
  for (size_t i = 0; i < lower_levels && !all.empty(); ++i) {
    const size_t index = i * (all.size() - 1) / (lower_levels - 1);
    if (levels.empty() || levels.back().cost < all[index].cost) levels.push_back(all[index]);
  }
  return levels;
}

}  // namespace

ScoredRows score_rows(const TunableModel& model, const TuneRows& rows,
                      const std::optional<NgramBag>& rung_zero, const std::vector<double>& budgets,
                      ProgressSink& progress) {
  ScoredRows scored;
  scored.labels = rows.labels;
  const int64_t tokens = mean_length(rows.inputs);
  if (rung_zero) {
    const double dense = dense_cost(model.config.shape, tokens).model_macs;
    BudgetScores zero{0, rung_zero->macs(tokens) / dense, {}};
    for (const Tokens& input : rows.inputs) {
      zero.scores.push_back(rung_zero->scores(input.ids, input.types));
    }
    scored.at_budgets.push_back(std::move(zero));
  }
  ProgressUpdate update;
  update.stage = "scoring";
  update.unit = "rows";
  update.total = static_cast<int64_t>(rows.inputs.size() * budgets.size());
  for (const double budget : budgets) {
    scored.at_budgets.push_back({budget, cost_share(model, budget, tokens),
                                 scores_at(model, rows.inputs, budget, update, progress)});
  }
  return scored;
}

NgramBag distil(const TunableModel& model, const std::vector<Tokens>& rows,
                const NgramTraining& settings, ProgressSink& progress) {
  ProgressUpdate update;
  update.stage = "asking the full model";
  update.unit = "rows";
  update.total = static_cast<int64_t>(rows.size());
  const std::vector<Scores> targets = scores_at(model, rows, 1, update, progress);
  const ModelShape& shape = model.config.shape;
  return train_ngram_bag(rows, targets, shape.vocabulary, shape.labels, settings, progress);
}

ScoredRows pick_rows(const ScoredRows& rows, const std::vector<size_t>& chosen) {
  ScoredRows picked;
  for (const BudgetScores& at : rows.at_budgets) {
    BudgetScores part{at.budget, at.cost, {}};
    for (const size_t row : chosen) part.scores.push_back(at.scores[row]);
    picked.at_budgets.push_back(std::move(part));
  }
  for (const size_t row : chosen) {
    if (rows.labelled()) picked.labels.push_back(rows.labels[row]);
  }
  return picked;
}

TuneReport fit_policy(ScoredRows fitted, ScoredRows checked, const TuneSettings& settings) {
  check_promise(settings.promise, settings.promised, settings.certainty, checked);
  if (!settings.or_full_model) {
    require_rows(settings.promise, settings.promised, settings.certainty, checked);
  }
  TuneReport report;
  report.budgets = calibrate_budgets(fitted, checked, settings.blend);
  LadderSearch search;
  search.confidences = settings.confidences;
  search.loss = settings.promise == Promise::agreement ? Loss::disagreement : Loss::accuracy;
  if (settings.promise == Promise::mean_budget) {  // what is promised is what is saved
    for (BudgetScores& at : fitted.at_budgets) at.cost = at.budget;
  }
  const bool provable =
      checked.size() >= rows_to_prove(settings.promise, settings.promised, settings.certainty);
  const std::vector<LadderCandidate> candidates =
      provable ? search_ladders(fitted, search) : std::vector{full_model(fitted)};
  const LadderCandidate chosen =
      keep_promise(candidates, checked, settings.promise, settings.promised, settings.certainty);
  Policy& policy = report.policy;
  policy.confidence = chosen.confidence;
  for (size_t rung = 0; rung < chosen.budgets.size(); ++rung) {
    const bool ruled = rung < chosen.rules.size();
    policy.rungs.push_back({fitted.at_budgets[chosen.budgets[rung]].budget,
                            ruled ? chosen.rules[rung] : std::vector<double>{}});
  }
  for (const BudgetCalibration& at : report.budgets) {
    policy.temperatures.push_back({at.budget, at.temperature, 0, at.rung_zero});
  }
  for (const LadderCandidate& level : cheaper_levels(fitted, search, chosen)) {
    policy.levels.push_back(level_of(checked, level));
  }
  policy.levels.push_back(level_of(checked, chosen));
  policy.promise = settings.promise;
  policy.promised = settings.promised;
  policy.certainty = settings.certainty;
  policy.fitted_rows = static_cast<int64_t>(fitted.size());
  policy.checked_rows = static_cast<int64_t>(checked.size());
  policy.date = today();
  return report;
}

TuneReport tune(const TunableModel& model, const TuneRows& rows,
                const std::vector<Tokens>& distilled, const TuneSettings& settings,
                ProgressSink& progress) {
  std::vector<size_t> order(rows.inputs.size());
  std::iota(order.begin(), order.end(), size_t{0});
  Random random{settings.seed};
  random.shuffle(order);
  std::optional<NgramBag> bag;
  if (settings.rung_zero) {
    std::vector<Tokens> own;  // where no others were given
    if (distilled.empty()) {
      const auto half = order.begin() + static_cast<ptrdiff_t>(order.size() / 2);
      for (auto row = order.begin(); row != half; ++row) own.push_back(rows.inputs[*row]);
      order.erase(order.begin(), half);
    }
    bag = distil(model, distilled.empty() ? own : distilled, settings.ngrams, progress);
  }
  TuneRows used;
  for (const size_t row : order) {
    used.inputs.push_back(rows.inputs[row]);
    if (!rows.labels.empty()) used.labels.push_back(rows.labels[row]);
  }
  if (used.inputs.size() < 2) {
    throw Error(ErrorCode::bad_data, "tune",
                fmt::format("{} rows: some to fit to and some to hold back are needed",
                            rows.inputs.size()));
  }
  const ScoredRows scored = score_rows(model, used, bag, settings.budgets, progress);
  std::vector<size_t> fitted(scored.size() / 2);
  std::vector<size_t> checked(scored.size() - fitted.size());
  std::iota(fitted.begin(), fitted.end(), size_t{0});
  std::iota(checked.begin(), checked.end(), fitted.size());
  TuneReport report = fit_policy(pick_rows(scored, fitted), pick_rows(scored, checked), settings);
  report.rung_zero = std::move(bag);
  return report;
}

}  // namespace headroom
