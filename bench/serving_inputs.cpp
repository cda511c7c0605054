#include "serving_inputs.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

#include "base/random.h"
#include "engine/session.h"
#include "server/schedule/cost_levels.h"

namespace headroom {
namespace {

using Clock = std::chrono::steady_clock;

// Calls that came one after the other on one thread, as ratios of actual to expected time.
std::vector<double> slowdowns_of_one(const std::shared_ptr<const EngineModel>& model,
                                     const server::CostLevels& levels,
                                     const std::vector<int64_t>& lengths, double seconds,
                                     uint64_t seed) {
  Random random{seed};
  Session session(model);
  std::vector<double> ratios;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    const int64_t tokens = lengths[random.below(lengths.size())];
    const size_t level = random.below(levels.count());
    const Tokens input{
        std::vector<int32_t>(static_cast<size_t>(tokens), static_cast<int32_t>(random.below(1000))),
        {}};
    const auto started = Clock::now();
    session.run(std::span(&input, 1), Budget{levels.budget(level)});
    const std::chrono::duration<double, std::milli> taken = Clock::now() - started;
    ratios.push_back(taken.count() / levels.estimate(level, tokens).median_ms);
  }
  return ratios;
}

}  // namespace

int64_t ServingInputs::longest() const {
  return *std::max_element(lengths.begin(), lengths.end());
}

double ServingInputs::accuracy(double budget) const {
  const auto above = std::lower_bound(scores.begin(), scores.end(), std::pair(budget, 0.0));
  if (above == scores.end()) return scores.back().second;
  if (above == scores.begin()) return above->second;
  const auto below = above - 1;
  const double share = (budget - below->first) / (above->first - below->first);
  return below->second + share * (above->second - below->second);
}

double ServingInputs::mean_ms(double budget) const {
  double sum = 0;
  for (const int64_t tokens : lengths) sum += table.estimate(budget, tokens).median_ms;
  const double slowdown = std::accumulate(slowdowns.begin(), slowdowns.end(), 0.0) /
                          static_cast<double>(slowdowns.size());
  return sum / static_cast<double>(lengths.size()) * slowdown;
}

std::vector<double> measure_slowdowns(const std::shared_ptr<const EngineModel>& model,
                                      const LatencyTable& table,
                                      const std::vector<int64_t>& lengths, int workers,
                                      double seconds) {
  const server::CostLevels levels(table, table.budgets().front(), 1,
                                  model->config().shape.positions);
  std::vector<std::vector<double>> each(static_cast<size_t>(workers));
  std::vector<std::thread> threads;
  for (size_t i = 0; i < each.size(); ++i) {
    threads.emplace_back(
        [&, i] { each[i] = slowdowns_of_one(model, levels, lengths, seconds, i); });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<double> all;
  for (const auto& ratios : each) all.insert(all.end(), ratios.begin(), ratios.end());
  std::sort(all.begin(), all.end());
  constexpr size_t kept = 1000;  // the tail's last thousandth is one of them
  std::vector<double> quantiles;
  for (size_t i = 0; i < kept; ++i) {
    quantiles.push_back(all[(2 * i + 1) * all.size() / (2 * kept)]);
  }
  return quantiles;
}

Json to_json(const ServingInputs& inputs) {
  Json json = {{"table", to_json(inputs.table)}};
  json["slowdowns"] = inputs.slowdowns;
  std::vector<int64_t> counts(static_cast<size_t>(inputs.longest()) + 1);
  for (const int64_t tokens : inputs.lengths) ++counts[static_cast<size_t>(tokens)];
  json["texts_of_length"] = counts;
  json["scores"] = Json::array();
  for (const auto& [budget, accuracy] : inputs.scores) {
    json["scores"].push_back({{"budget", budget}, {"accuracy", accuracy}});
  }
  return json;
}

ServingInputs serving_inputs_from_json(const Json& json) {
  const JsonFields fields(json, ErrorCode::bad_data, "serving inputs");
  ServingInputs inputs;
  inputs.table = latency_table_from_json(fields.object("table"));
  for (const Json& value : fields.array("slowdowns"))
    inputs.slowdowns.push_back(value.get<double>());
  int64_t tokens = 0;
  for (const Json& count : fields.array("texts_of_length")) {
    inputs.lengths.insert(inputs.lengths.end(), count.get<size_t>(), tokens++);
  }
  for (const Json& entry : fields.array("scores")) {
    const JsonFields score(entry, ErrorCode::bad_data, "serving inputs score");
    inputs.scores.emplace_back(score.number("budget", 0, 1), score.number("accuracy", 0, 1));
  }
  if (inputs.slowdowns.empty() || inputs.lengths.empty() || inputs.scores.empty()) {
    fields.fail("slowdowns", "or texts_of_length or scores are empty");
  }
  return inputs;
}

}  // namespace headroom
