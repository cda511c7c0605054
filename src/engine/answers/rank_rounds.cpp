#include "engine/answers/rank_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "engine/answers/rank.h"

namespace headroom {
namespace {

constexpr double first_budget = 0.25;
constexpr size_t refined_share = 4;  // one in so many
constexpr size_t least_refined = 10;

// Nine times in ten, all pairs together.
double foreseen_ms(const LatencyTable& table, double budget, std::span<const Tokens> pairs) {
  double ms = 0;
  for (const Tokens& pair : pairs) {
    ms += table.estimate(budget, static_cast<int64_t>(pair.ids.size())).p90_ms;
  }
  return ms;
}

// The largest measured budget for all pairs alike: their scores are compared.
double budget_within(const LatencyTable& table, std::span<const Tokens> pairs, double latency_ms) {
  const std::vector<double> budgets = table.budgets();
  for (auto budget = budgets.rbegin(); budget != budgets.rend(); ++budget) {
    if (foreseen_ms(table, *budget, pairs) <= latency_ms) return *budget;
  }
  throw Error(ErrorCode::target_unreachable, "rerank",
              fmt::format("{} passages take {:.3f} ms (p90) at the smallest calibrated budget, {}; "
                          "{} ms were asked for",
                          pairs.size(), foreseen_ms(table, budgets.front(), pairs), budgets.front(),
                          latency_ms));
}

}  // namespace

bool ranks_in_rounds(const ModelConfig& config) {
  return config.task == Task::rerank && config.elastic();
}

RankRounds rank_rounds(const ModelConfig& config, size_t candidates) {
  const size_t refined = std::max(least_refined, (candidates + refined_share - 1) / refined_share);
  if (!config.elastic() || refined >= candidates) return {};
  return {first_budget, refined};
}

std::vector<size_t> second_round(const RankRounds& rounds, std::span<const Answer> first) {
  std::vector<size_t> order = ranking(first);
  order.resize(std::min(order.size(), rounds.refined));
  return order;
}

void merge_rounds(std::span<const size_t> refined, std::vector<Answer> second,
                  std::vector<Answer>& answers) {
  for (Answer& answer : answers) answer.rungs = {answer.budget};
  for (size_t i = 0; i < refined.size(); ++i) {
    Answer& answer = answers[refined[i]];
    second[i].rungs = {answer.budget, second[i].budget};
    second[i].budget += answer.budget;
    second[i].milliseconds += answer.milliseconds;
    answer = std::move(second[i]);
  }
}

std::vector<Answer> rank_pairs(Session& session, std::span<const Tokens> pairs,
                               const Budget& budget) {
  std::optional<double> affordable;
  if (budget.latency_ms) {
    session.ladder().require({.latency_ms = budget.latency_ms});
    affordable = budget_within(*session.table(), pairs, *budget.latency_ms);
  }
  if (!budget.automatic) {
    return session.run(pairs, affordable ? Budget{*affordable} : budget);
  }
  RankRounds rounds = rank_rounds(session.model().config(), pairs.size());
  if (affordable) rounds.first = std::min(rounds.first, *affordable);
  std::vector<Answer> answers = session.run(pairs, Budget{rounds.first});
  std::vector<size_t> refined = second_round(rounds, answers);
  if (affordable) {
    const LatencyTable& table = *session.table();
    double left_ms = *budget.latency_ms - foreseen_ms(table, rounds.first, pairs);
    size_t fit = 0;
    while (fit < refined.size()) {
      left_ms -= foreseen_ms(table, 1, pairs.subspan(refined[fit], 1));
      if (left_ms < 0) break;
      ++fit;
    }
    refined.resize(fit);
  }
  std::vector<Tokens> again;
  for (const size_t i : refined) again.push_back(pairs[i]);
  merge_rounds(refined, session.run(again, Budget{}), answers);
  return answers;
}

}  // namespace headroom
