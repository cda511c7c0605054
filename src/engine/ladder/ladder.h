// Runs inputs at their budgets: flat ones at once, automatic ones rung by rung until an answer is
// sure enough. A rung runs over all inputs that are still undecided, so a batch stays one.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "budget/latency_table.h"
#include "engine/worker.h"
#include "headroom/types.h"

namespace headroom {

class Ladder {
 public:
  // `table` may be null: then no budget has a latency.
  Ladder(const EngineModel& model, const LatencyTable* table) : model_(model), table_(table) {}

  // A budget for each input, or one for all. `level` is one of the policy's, none: the promised
  // one. Every rung's answer has the bits of the flat budget's. With a policy that gives rung zero
  // a weight, answers of all budgets are made of the model's scores and rung zero's.
  std::vector<Answer> run(Worker& worker, std::span<const Tokens> inputs,
                          std::span<const Budget> budgets, std::optional<size_t> level = {}) const;

  // The share of the model that a flat budget means for an input of so many tokens.
  double fraction(const Budget& budget, int64_t tokens) const;

  // Throws ErrorCode::usage, saying what to do, unless the model can answer at such a budget.
  void require(const Budget& budget) const;

 private:
  // What rung zero says of inputs, as far as it was asked: empty where not, and in all where the
  // model has none.
  using RungZeroScores = std::vector<std::vector<double>>;

  std::vector<Answer> run_flat(Worker& worker, std::span<const Tokens> inputs,
                               std::span<const double> fractions, RungZeroScores& zero) const;
  Answer answer_of_rung_zero(const Tokens& input, std::vector<double>& zero) const;
  void add_rung_zero(const Tokens& input, double fraction, std::vector<double>& zero,
                     Answer& answer) const;
  // Runs those whose latency is shorter than the first rung, each at the largest budget that it
  // allows; returns the others. Throws ErrorCode::target_unreachable where no budget is that fast.
  std::vector<size_t> run_below_ladder(Worker& worker, std::span<const Tokens> inputs,
                                       std::span<const size_t> automatic,
                                       std::span<const Budget> budgets,
                                       std::vector<Answer>& answers) const;
  void climb(Worker& worker, std::span<const Tokens> inputs, std::span<const size_t> automatic,
             std::span<const Budget> budgets, size_t level, std::vector<Answer>& answers) const;
  double foreseen_ms(double budget, int64_t tokens) const;

  const EngineModel& model_;
  const LatencyTable* table_;
};

}  // namespace headroom
