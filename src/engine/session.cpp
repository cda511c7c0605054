#include "engine/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/measure/machine.h"
#include "checkpoint/latency_file.h"

namespace headroom {
namespace {

// The budgets of inputs [begin, end), or the one of all.
std::span<const Budget> budgets_of(std::span<const Budget> budgets, size_t begin, size_t end) {
  return budgets.size() == 1 ? budgets : budgets.subspan(begin, end - begin);
}

// What the table foresees of the rungs that ran; the bag of n-grams takes next to nothing.
double predicted_ms(const LatencyTable& table, const Answer& answer) {
  const auto at = [&](double budget) {
    return budget == 0 ? 0 : table.estimate(budget, answer.tokens).median_ms;
  };
  if (answer.rungs.empty()) return at(answer.budget);
  return std::accumulate(answer.rungs.begin(), answer.rungs.end(), 0.0,
                         [&](double sum, double budget) { return sum + at(budget); });
}

// Counts a call while it runs.
class RunningCall {
 public:
  explicit RunningCall(std::atomic<int>& running) : running_(running), others_(running++) {}
  ~RunningCall() { --running_; }
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

  bool came_alone() const { return others_ == 0; }

 private:
  std::atomic<int>& running_;
  int others_;
};

}  // namespace

Session::Session(std::shared_ptr<const EngineModel> model, int threads,
                 std::optional<LatencyTable> table, bool splits_calls)
    : model_(std::move(model)),
      threads_(threads),
      table_(std::move(table)),
      splits_calls_(splits_calls) {
  if (threads != 1) pools_.give(std::make_unique<ThreadPool>(threads));
}

double Session::fraction(const Budget& budget, int64_t tokens) const {
  return ladder().fraction(budget, tokens);
}

std::vector<Answer> Session::run(std::span<const Text> texts, std::span<const Budget> budgets) {
  return split(texts, budgets, {});
}

std::vector<Answer> Session::run(std::span<const Tokens> inputs, std::span<const Budget> budgets,
                                 std::optional<size_t> level) {
  return split(inputs, budgets, level);
}

template <typename Input>
std::vector<Answer> Session::split(std::span<const Input> inputs, std::span<const Budget> budgets,
                                   std::optional<size_t> level) {
  const auto started = std::chrono::steady_clock::now();
  if (budgets.size() != 1 && budgets.size() != inputs.size()) {
    throw Error(ErrorCode::usage, "classify",
                fmt::format("{} budgets for {} texts", budgets.size(), inputs.size()));
  }
  std::vector<Answer> answers(inputs.size());
  const RunningCall call(running_);
  const auto run = [&](size_t begin, size_t end, ThreadPool* pool) {
    run_part(inputs.subspan(begin, end - begin), budgets_of(budgets, begin, end), level, pool,
             &answers[begin]);
  };
  const bool splits_text = inputs.size() == 1 && call.came_alone();
  const bool splits_call = inputs.size() > 1 && splits_calls_;
  if (threads_ > 1 && (splits_text || splits_call)) {
    auto pool = pools_.take([this] { return std::make_unique<ThreadPool>(threads_); });
    if (splits_text) {
      run(0, 1, pool.get());
    } else {
      pool->share(inputs.size(), batch,
                  [&](size_t begin, size_t end) { run(begin, end, nullptr); });
    }
    pools_.give(std::move(pool));
  } else if (!inputs.empty()) {
    run(0, inputs.size(), nullptr);
  }
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - started;
  for (Answer& answer : answers) {
    answer.milliseconds = elapsed.count();
    if (table_) answer.predicted_milliseconds = predicted_ms(*table_, answer);
  }
  return answers;
}

void Session::run_part(std::span<const Text> texts, std::span<const Budget> budgets,
                       std::optional<size_t> level, ThreadPool* pool, Answer* answers) {
  std::vector<Tokens> inputs;
  inputs.reserve(texts.size());
  for (const Text& text : texts) inputs.push_back(tokenise(*model_, text));
  run_part(inputs, budgets, level, pool, answers);
}

void Session::run_part(std::span<const Tokens> inputs, std::span<const Budget> budgets,
                       std::optional<size_t> level, ThreadPool* pool, Answer* answers) {
  auto worker = workers_.take([this] { return std::make_unique<Worker>(model_); });
  worker->use({pool});
  std::vector<Answer> found = ladder().run(*worker, inputs, budgets, level);
  workers_.give(std::move(worker));
  for (size_t i = 0; i < found.size(); ++i) found[i].truncated = inputs[i].truncated;
  std::move(found.begin(), found.end(), answers);
}

std::optional<LatencyTable> find_text_latencies(const std::filesystem::path& checkpoint,
                                                Precision precision) {
  return find_latency_table(checkpoint, cpu_name(), std::string(precision_table.name(precision)),
                            /*threads=*/1);
}

}  // namespace headroom
