#include "server/models/served_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/measure/machine.h"
#include "checkpoint/latency_file.h"
#include "checkpoint/score_file.h"
#include "engine/answers/calibration.h"
#include "engine/answers/rank_rounds.h"
#include "engine/session.h"

namespace headroom::server {
namespace {

// A worker runs one text at a time.
constexpr int threads_per_text = 1;

constexpr std::string_view test_text = "The quick brown fox jumps over the lazy dog.";

// Five lengths at eight budgets: two seconds for a model of BERT-Mini's size.
LatencyTable measure_quickly(const std::shared_ptr<const EngineModel>& model,
                             ProgressSink& progress) {
  const int64_t longest = model->config().longest_input();
  CalibrationSettings settings;
  std::set<int64_t> lengths;
  for (const int64_t part : {16, 8, 4, 2, 1}) lengths.insert(std::max<int64_t>(1, longest / part));
  settings.lengths.assign(lengths.begin(), lengths.end());
  settings.threads = threads_per_text;
  settings.rounds = 11;
  settings.warmup = 1;
  return calibrate(model, settings, progress);
}

// What the page draws of scores.json: what the task is judged by. Null without the file.
Json measured_scores(const std::filesystem::path& checkpoint) {
  const std::optional<SavedScores> saved = read_scores(checkpoint);
  if (!saved) return nullptr;
  Json json;
  json["measure"] = measure_title(saved->curve.front());
  json["data"] = saved->data;
  json["examples"] = saved->curve.front().examples;
  json["precision"] = saved->precision;
  json["date"] = saved->date;
  json["curve"] = Json::array();
  for (const BudgetScore& score : saved->curve) {
    json["curve"].push_back({{"budget", score.budget},
                             {"value", headline(score)},
                             {"macs_fraction", score.model_macs_fraction}});
  }
  return json;
}

// The fastest of a few runs, after one that warms up: a busy machine makes some slower, none
// faster.
double fastest_ms(const RunBatch& run, double budget, int64_t tokens) {
  constexpr int runs = 5;
  const Tokens input{std::vector<int32_t>(static_cast<size_t>(tokens), 0), {}};
  double fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= runs; ++i) {
    const auto started = std::chrono::steady_clock::now();
    run(std::span(&input, 1), budget, {});
    const std::chrono::duration<double, std::milli> taken =
        std::chrono::steady_clock::now() - started;
    if (i > 0) fastest = std::min(fastest, taken.count());
  }
  return fastest;
}

}  // namespace

bool has_auto(const ServedModel& model) {
  return model.policy || ranks_in_rounds(model.config);
}

ServedModel served_model(std::string name, const std::shared_ptr<const EngineModel>& engine) {
  static std::atomic<uint64_t> loads = 0;
  ServedModel served;
  served.name = std::move(name);
  served.id = ++loads;
  served.config = engine->config();
  served.engine = engine;
  served.policy = engine->policy().policy;
  served.packed_note = engine->packed_note();
  served.policy_note = engine->policy().note;
  served.rung_zero = engine->policy().rung_zero.has_value();
  served.tokenise = [engine](const Text& text) { return headroom::tokenise(*engine, text); };
  served.make_runner = [engine](int threads) -> RunBatch {
    return [session = std::make_shared<Session>(engine, threads)](
               std::span<const Tokens> inputs, double budget, std::optional<size_t> ladder) {
      const Budget spend{ladder ? 1 : budget, {}, ladder.has_value()};
      return session->run(inputs, std::span(&spend, 1), ladder);
    };
  };
  return served;
}

bool table_holds(const LatencyTable& table,
                 const std::function<double(double budget, int64_t tokens)>& measured_ms) {
  constexpr double tolerance = 2;
  const std::vector<double> budgets = table.budgets();
  const std::vector<int64_t> lengths = table.lengths();
  for (const double budget : {budgets.front(), budgets.back()}) {
    for (const int64_t tokens : {lengths.front(), lengths.back()}) {
      const double ratio = measured_ms(budget, tokens) / table.estimate(budget, tokens).median_ms;
      if (!(ratio <= tolerance && ratio >= 1 / tolerance)) return false;  // NaN too
    }
  }
  return true;
}

void self_test(const ServedModel& model) {
  const Tokens input = model.tokenise({test_text});
  const RunBatch run = model.make_runner(threads_per_text);
  for (const double budget : {model.table.budgets().front(), model.table.budgets().back()}) {
    const Answer answer = run(std::span(&input, 1), budget, {}).at(0);
    if (traits(model.config.task).output != OutputForm::label) continue;
    const double sum = std::accumulate(answer.scores.begin(), answer.scores.end(), 0.0);
    if (std::abs(sum - 1) < 1e-3) continue;  // false for NaN
    throw Error(ErrorCode::bad_model, fmt::format("test model {}", model.name),
                fmt::format("at budget {} the scores of a text add up to {}, expected 1; are the "
                            "weights damaged?",
                            budget, sum));
  }
}

ServedModel load_served_model(std::string name, const std::filesystem::path& directory,
                              const EngineOptions& options, ProgressSink& progress) {
  const auto engine = EngineModel::load(directory, options);
  ServedModel served = served_model(std::move(name), engine);
  served.scores = measured_scores(directory);
  std::optional<LatencyTable> table =
      find_latency_table(directory, cpu_name(),
                         std::string(precision_table.name(options.precision)), threads_per_text);
  served.table_source = table ? TableSource::checkpoint : TableSource::measured;
  const auto measured_ms = [run = served.make_runner(threads_per_text)](double budget,
                                                                        int64_t tokens) {
    return fastest_ms(run, budget, tokens);
  };
  if (table && !table_holds(*table, measured_ms)) {
    served.table_source = TableSource::replaced;
    table.reset();
  }
  served.table = table ? std::move(*table) : measure_quickly(engine, progress);
  if (served.rung_zero) {
    const int64_t longest = served.config.longest_input();
    served.bag_token_ms = measured_ms(0, longest) / static_cast<double>(longest);
  }
  self_test(served);
  served.warm_up = served.tokenise({test_text});
  return served;
}

}  // namespace headroom::server
