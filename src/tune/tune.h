// Fits a policy to a model: rung zero, a temperature for every budget, and the cheapest ladder that
// keeps a promise on rows that nothing was fitted to. The certainty is what it says where the model
// was not chosen by these rows either: training keeps them apart (train/heads/fit_ladder.h), of
// `headroom tune` the user does.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "budget/ladder/policy.h"
#include "budget/latency_table.h"
#include "checkpoint/config.h"
#include "tune/ladder_search.h"
#include "tune/ngram_trainer.h"

namespace headroom {

// A model without a policy, run by our engine (session_model.h) or by libtorch at the end of a
// training.
struct TunableModel {
  const ModelConfig& config;
  const LatencyTable* table = nullptr;  // of this machine; without one MACs say what budgets cost
  std::function<std::vector<Scores>(std::span<const Tokens> rows, double budget)> scores;
};

struct TuneRows {
  std::vector<Tokens> inputs;
  std::vector<int32_t> labels;  // empty: nobody knows them
};

struct TuneSettings {
  Promise promise = Promise::agreement;
  double promised = 0.99;
  double certainty = 0.95;
  bool or_full_model = false;  // where rows are too few to prove it, the ladder is the full model
  std::vector<double> budgets = {1};  // that a ladder may have, ascending, the last is 1
  bool rung_zero = true;
  bool blend = true;  // rung zero has a say in every budget's answers where that is better
  std::vector<Confidence> confidences = LadderSearch().confidences;
  NgramTraining ngrams;
  uint64_t seed = 1;  // of the order of rows
};

struct BudgetCalibration {
  double budget = 1;
  double temperature = 1;
  double rung_zero = 0;                // its weight in the answers
  double agreement = 1;                // with the full model, on the rows held back
  std::optional<double> accuracy;      // there
  std::optional<double> error_before;  // expected calibration error, there
  std::optional<double> error_after;
};

struct TuneReport {
  Policy policy;
  std::optional<NgramBag> rung_zero;  // also where no rung of the ladder uses it: --budget 0
  std::vector<BudgetCalibration> budgets;
};

// Rung zero learns from `distilled`, or from half of the rows where there are none; half of the
// others are fitted to, half are held back. Throws
// ErrorCode::usage for a promise that makes no sense or needs labels, ErrorCode::target_unreachable
// for one that these rows cannot prove.
TuneReport tune(const TunableModel& model, const TuneRows& rows,
                const std::vector<Tokens>& distilled, const TuneSettings& settings,
                ProgressSink& progress);

// The parts of it, which bench/cascade.cpp repeats on many splits.
ScoredRows score_rows(const TunableModel& model, const TuneRows& rows,
                      const std::optional<NgramBag>& rung_zero, const std::vector<double>& budgets,
                      ProgressSink& progress);
NgramBag distil(const TunableModel& model, const std::vector<Tokens>& rows,
                const NgramTraining& settings, ProgressSink& progress);
ScoredRows pick_rows(const ScoredRows& rows, const std::vector<size_t>& chosen);

// Fits on one part and checks on the other; neither has been given temperatures.
TuneReport fit_policy(ScoredRows fitted, ScoredRows checked, const TuneSettings& settings);

}  // namespace headroom
