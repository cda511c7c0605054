// policy.json: the rungs that --budget auto climbs, when it stops, and what `headroom tune`
// promised of it on rows that it held back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "budget/ladder/confidence.h"
#include "budget/score_calibration.h"

namespace headroom {

enum class Promise { agreement, max_loss, mean_budget };
inline constexpr auto promise_table = enum_table<Promise>(
    "promise", {{Promise::agreement, "agreement", "share of the full model's labels"},
                {Promise::max_loss, "max_loss", "accuracy below the full model's"},
                {Promise::mean_budget, "mean_budget", "mean sum of the rungs' budgets"}});
constexpr const auto& table_of(Promise) {
  return promise_table;
}

// What some thresholds did on the rows held back.
struct LadderLevel {
  std::vector<double> thresholds;  // of every rung but the last: stop at this confidence or above
  std::vector<double> reached;     // share of the rows that came to each rung
  double agreement = 1;            // share of rows with the full model's label
  std::optional<double> accuracy;  // where the rows had labels
  double mean_budget = 1;          // sum of the rungs' budgets
};

struct Rung {
  double budget = 1;         // 0: the bag of n-grams
  std::vector<double> rule;  // weights of Confidence::learned; empty for the others and on the last
};

struct Policy {
  uint64_t weights_checksum = 0;               // XXH64 of the model.safetensors it is for
  std::optional<uint64_t> rung_zero_checksum;  // of rung_zero.safetensors; nothing: there is none
  // Ascending budgets, the last is 1; offsets are 0. `lexical` is the weight that rung zero's
  // scores have in an answer of that budget.
  std::vector<ScoreCalibration> temperatures;
  Confidence confidence = Confidence::top;
  std::vector<Rung> rungs;          // ascending budgets, one to four, the last is 1
  std::vector<LadderLevel> levels;  // cheapest first; the last is the one that was promised

  Promise promise = Promise::agreement;
  double promised = 0;       // the number behind it
  double certainty = 0.95;   // with which it holds on rows like those held back
  int64_t fitted_rows = 0;   // that thresholds and temperatures were fitted on
  int64_t checked_rows = 0;  // that were held back
  std::string precision;     // that the scores were computed in: fp32, ...
  std::string date;

  size_t top() const { return levels.size() - 1; }

  // Linear between the budgets that have one; the bag of n-grams is no neighbour of the model's.
  double temperature_of(double budget) const;

  // How much rung zero says in an answer at `budget`: the exponent of its scores (blend()). Linear
  // between the budgets that have one; 0 at budget 0 and where rung zero is not asked.
  double rung_zero_weight(double budget) const;

  // Whether any budget has such a weight.
  bool blends() const;

  // Whether an answer of `rung` is sure enough at a level; on the last rung every answer is.
  bool settles(size_t rung, size_t level, std::span<const double> scores,
               std::span<const double> previous) const;

  // Sum over the rungs of what `cost` says of a budget, weighed by the share of texts that reach
  // it.
  double expected(size_t level, const std::function<double(double budget)>& cost) const;
};

Json to_json(const Policy& policy);

// Throws ErrorCode::bad_model about what is missing or out of range.
Policy policy_from_json(const Json& json);

}  // namespace headroom
