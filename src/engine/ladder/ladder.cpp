#include "engine/ladder/ladder.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/precision.h"
#include "budget/ladder/why_no_auto.h"

namespace headroom {
namespace {

const Budget& budget_of(std::span<const Budget> budgets, size_t input) {
  return budgets[budgets.size() == 1 ? 0 : input];
}

std::vector<double> scores_of_bag(const StoredPolicy& stored, const Tokens& input) {
  std::vector<double> scores = stored.rung_zero->scores(input.ids, input.types);
  apply_temperature(scores, stored.policy->temperature_of(0));
  return scores;
}

}  // namespace

Answer Ladder::answer_of_rung_zero(const Tokens& input, std::vector<double>& zero) const {
  if (zero.empty()) zero = scores_of_bag(model_.policy(), input);
  Answer answer;
  answer.scores = zero;
  answer.label = best_label(answer.scores);
  answer.budget = 0;
  answer.active_heads = 0;
  answer.active_ffn = 0;
  answer.tokens = static_cast<int64_t>(input.ids.size());
  return answer;
}

void Ladder::add_rung_zero(const Tokens& input, double fraction, std::vector<double>& zero,
                           Answer& answer) const {
  const double weight = model_.policy().policy->rung_zero_weight(fraction);
  if (weight == 0) return;
  if (zero.empty()) zero = scores_of_bag(model_.policy(), input);
  blend(answer.scores, zero, weight);
  answer.label = best_label(answer.scores);
}

void Ladder::require(const Budget& budget) const {
  const StoredPolicy& stored = model_.policy();
  if (budget.latency_ms && table_ == nullptr) {
    throw Error(ErrorCode::usage, "classify",
                fmt::format("a latency target needs this machine's table: run headroom calibrate "
                            "--precision {} on the checkpoint",
                            precision_table.name(model_.weights().precision)));
  }
  const Task task = model_.config().task;
  const auto refuse = [&](const char* what, std::string_view why) {
    throw Error(ErrorCode::usage, "classify",
                fmt::format("this model has no budget {}: {}", what,
                            stored.note.empty() ? why : std::string_view(stored.note)));
  };
  if (budget.automatic && !stored.policy) refuse("auto", why_no_auto(task));
  if (!budget.automatic && budget.fraction == 0 && !stored.rung_zero) {
    refuse("0", why_no_rung_zero(task));
  }
}

double Ladder::fraction(const Budget& budget, int64_t tokens) const {
  require(budget);
  return budget.latency_ms ? table_->budget_for(*budget.latency_ms, tokens) : budget.fraction;
}

double Ladder::foreseen_ms(double budget, int64_t tokens) const {
  return budget == 0 ? 0 : table_->estimate(budget, tokens).p90_ms;
}

std::vector<Answer> Ladder::run(Worker& worker, std::span<const Tokens> inputs,
                                std::span<const Budget> budgets,
                                std::optional<size_t> level) const {
  std::vector<double> fractions(inputs.size());
  std::vector<size_t> automatic;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Budget& budget = budget_of(budgets, i);
    if (budget.automatic) {
      require(budget);
      automatic.push_back(i);
    } else {
      fractions[i] = fraction(budget, static_cast<int64_t>(inputs[i].ids.size()));
    }
  }
  RungZeroScores zero;
  if (automatic.empty()) return run_flat(worker, inputs, fractions, zero);
  std::vector<Answer> answers(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (budget_of(budgets, i).automatic) continue;
    RungZeroScores own;
    answers[i] = std::move(
        run_flat(worker, inputs.subspan(i, 1), std::span(fractions).subspan(i, 1), own).front());
  }
  climb(worker, inputs, automatic, budgets, level.value_or(model_.policy().policy->top()), answers);
  return answers;
}

std::vector<Answer> Ladder::run_flat(Worker& worker, std::span<const Tokens> inputs,
                                     std::span<const double> fractions,
                                     RungZeroScores& zero) const {
  if (model_.policy().rung_zero) zero.resize(inputs.size());
  std::vector<Answer> answers;
  if (std::find(fractions.begin(), fractions.end(), 0.0) == fractions.end()) {
    answers = worker.run(inputs, fractions);
  } else {
    for (size_t i = 0; i < inputs.size(); ++i) {
      answers.push_back(
          fractions[i] == 0
              ? answer_of_rung_zero(inputs[i], zero[i])
              : std::move(worker.run(inputs.subspan(i, 1), fractions.subspan(i, 1)).front()));
    }
  }
  if (const auto& policy = model_.policy().policy; policy && policy->blends()) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      add_rung_zero(inputs[i], fractions[i], zero[i], answers[i]);
    }
  }
  return answers;
}

std::vector<size_t> Ladder::run_below_ladder(Worker& worker, std::span<const Tokens> inputs,
                                             std::span<const size_t> automatic,
                                             std::span<const Budget> budgets,
                                             std::vector<Answer>& answers) const {
  const double first = model_.policy().policy->rungs.front().budget;
  std::vector<size_t> climbing;
  for (const size_t i : automatic) {
    const std::optional<double>& latency_ms = budget_of(budgets, i).latency_ms;
    const auto tokens = static_cast<int64_t>(inputs[i].ids.size());
    if (!latency_ms || foreseen_ms(first, tokens) <= *latency_ms) {
      climbing.push_back(i);
      continue;
    }
    const double fraction = table_->budget_for(*latency_ms, tokens);
    RungZeroScores zero;
    answers[i] =
        std::move(run_flat(worker, inputs.subspan(i, 1), std::span(&fraction, 1), zero).front());
    answers[i].rungs = {fraction};
  }
  return climbing;
}

void Ladder::climb(Worker& worker, std::span<const Tokens> inputs,
                   std::span<const size_t> automatic, std::span<const Budget> budgets, size_t level,
                   std::vector<Answer>& answers) const {
  const Policy& policy = *model_.policy().policy;
  std::vector<size_t> undecided = run_below_ladder(worker, inputs, automatic, budgets, answers);
  std::vector<double> left_ms;  // of each undecided input's latency
  RungZeroScores zero(inputs.size());
  for (const size_t i : undecided) {
    left_ms.push_back(
        budget_of(budgets, i).latency_ms.value_or(std::numeric_limits<double>::infinity()));
  }
  for (size_t rung = 0; rung < policy.rungs.size() && !undecided.empty(); ++rung) {
    const double budget = policy.rungs[rung].budget;
    std::vector<Tokens> batch;
    std::vector<size_t> running;
    std::vector<double> rest_ms;
    for (size_t k = 0; k < undecided.size(); ++k) {
      const size_t i = undecided[k];
      const auto tokens = static_cast<int64_t>(inputs[i].ids.size());
      const bool timed = budget_of(budgets, i).latency_ms.has_value();
      const double taken = timed ? foreseen_ms(budget, tokens) : 0;
      if (taken > left_ms[k]) continue;  // the answer is that of the rung before
      batch.push_back(inputs[i]);
      running.push_back(i);
      rest_ms.push_back(left_ms[k] - taken);
    }
    const std::vector<double> fractions(batch.size(), budget);
    RungZeroScores known;
    for (const size_t i : running) known.push_back(std::move(zero[i]));
    std::vector<Answer> found = run_flat(worker, batch, fractions, known);
    for (size_t k = 0; k < running.size(); ++k) zero[running[k]] = std::move(known[k]);
    undecided.clear();
    left_ms.clear();
    for (size_t k = 0; k < found.size(); ++k) {
      Answer& best = answers[running[k]];
      if (!policy.settles(rung, level, found[k].scores, best.scores)) {
        undecided.push_back(running[k]);
        left_ms.push_back(rest_ms[k]);
      }
      found[k].rungs = std::move(best.rungs);
      found[k].rungs.push_back(budget);
      if (rung > 0) found[k].budget += best.budget;
      best = std::move(found[k]);
    }
  }
}

}  // namespace headroom
