#include "engine/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
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

}  // namespace

Session::Session(std::shared_ptr<const EngineModel> model, int threads,
                 std::optional<LatencyTable> table)
    : model_(std::move(model)), threads_(threads), table_(std::move(table)) {
  if (threads != 1) pools_.give(std::make_unique<ThreadPool>(threads));
}

double Session::fraction(const Budget& budget, int64_t tokens) const {
  if (!budget.latency_ms) return budget.fraction;
  if (table_) return table_->budget_for(*budget.latency_ms, tokens);
  throw Error(ErrorCode::usage, "classify",
              "a latency target needs this machine's table: run headroom calibrate on the "
              "checkpoint");
}

std::vector<Answer> Session::run(std::span<const Text> texts, std::span<const Budget> budgets) {
  return split(texts, budgets);
}

std::vector<Answer> Session::run(std::span<const Tokens> inputs, std::span<const Budget> budgets) {
  return split(inputs, budgets);
}

template <typename Input>
std::vector<Answer> Session::split(std::span<const Input> inputs, std::span<const Budget> budgets) {
  const auto started = std::chrono::steady_clock::now();
  if (budgets.size() != 1 && budgets.size() != inputs.size()) {
    throw Error(ErrorCode::usage, "classify",
                fmt::format("{} budgets for {} texts", budgets.size(), inputs.size()));
  }
  std::vector<Answer> answers(inputs.size());
  const auto run = [&](size_t begin, size_t end) {
    run_part(inputs.subspan(begin, end - begin), budgets_of(budgets, begin, end), &answers[begin]);
  };
  if (threads_ > 1) {
    auto pool = pools_.take([this] { return std::make_unique<ThreadPool>(threads_); });
    pool->share(inputs.size(), batch, run);
    pools_.give(std::move(pool));
  } else if (!inputs.empty()) {
    run(0, inputs.size());
  }
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - started;
  for (Answer& answer : answers) {
    answer.milliseconds = elapsed.count();
    if (!table_) continue;
    answer.predicted_milliseconds = table_->estimate(answer.budget, answer.tokens).median_ms;
  }
  return answers;
}

void Session::run_part(std::span<const Text> texts, std::span<const Budget> budgets,
                       Answer* answers) {
  std::vector<Tokens> inputs;
  inputs.reserve(texts.size());
  for (const Text& text : texts) inputs.push_back(tokenise(*model_, text));
  run_part(inputs, budgets, answers);
}

void Session::run_part(std::span<const Tokens> inputs, std::span<const Budget> budgets,
                       Answer* answers) {
  std::vector<double> fractions;
  fractions.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Budget& budget = budgets[budgets.size() == 1 ? 0 : i];
    fractions.push_back(fraction(budget, static_cast<int64_t>(inputs[i].ids.size())));
  }
  auto worker = workers_.take([this] { return std::make_unique<Worker>(model_); });
  std::vector<Answer> found = worker->run(inputs, fractions);
  workers_.give(std::move(worker));
  std::move(found.begin(), found.end(), answers);
}

std::optional<LatencyTable> find_text_latencies(const std::filesystem::path& checkpoint,
                                                Precision precision) {
  return find_latency_table(checkpoint, cpu_name(), std::string(precision_table.name(precision)),
                            /*threads=*/1);
}

}  // namespace headroom
