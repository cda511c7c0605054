#include "engine/answers/rank_rounds.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "engine/answers/rank.h"

namespace headroom {
namespace {

constexpr double first_budget = 0.25;
constexpr size_t refined_share = 4;  // one in so many
constexpr size_t least_refined = 10;

}  // namespace

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
  if (!budget.automatic) return session.run(pairs, budget);
  if (budget.latency_ms) {
    throw Error(ErrorCode::usage, "rerank", "give a budget of auto or a latency, not both");
  }
  const RankRounds rounds = rank_rounds(session.model().config(), pairs.size());
  std::vector<Answer> answers = session.run(pairs, Budget{rounds.first});
  const std::vector<size_t> refined = second_round(rounds, answers);
  std::vector<Tokens> again;
  for (const size_t i : refined) again.push_back(pairs[i]);
  merge_rounds(refined, session.run(again, Budget{}), answers);
  return answers;
}

}  // namespace headroom
