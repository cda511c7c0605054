// include/headroom/headroom.h over the engine.
#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/machine.h"
#include "budget/cost.h"
#include "checkpoint/latency_file.h"
#include "engine/worker_pool.h"
#include "headroom/headroom.h"

namespace headroom {
namespace {

Precision precision_of(Arithmetic arithmetic) {
  switch (arithmetic) {
    case Arithmetic::fp32:
      return Precision::fp32;
    case Arithmetic::bf16:
      return Precision::bf16;
    case Arithmetic::int8:
      return Precision::int8;
  }
  return Precision::fp32;
}

std::vector<TokenInput> tokenise_all(const EngineModel& model, std::span<const TextInput> texts) {
  std::vector<TokenInput> tokens;
  tokens.reserve(texts.size());
  for (const TextInput& text : texts) tokens.push_back(tokenise(model, text));
  return tokens;
}

std::vector<TextInput> to_inputs(std::span<const Text> texts) {
  std::vector<TextInput> inputs;
  inputs.reserve(texts.size());
  for (const Text& text : texts) {
    inputs.push_back({text.text, text.pair.value_or(""), text.pair.has_value()});
  }
  return inputs;
}

std::vector<TokenInput> to_inputs(std::span<const Tokens> tokens) {
  std::vector<TokenInput> inputs;
  inputs.reserve(tokens.size());
  for (const Tokens& each : tokens) inputs.push_back({each.ids, each.types});
  return inputs;
}

void check_counts(size_t inputs, size_t budgets) {
  if (inputs != budgets) {
    throw Error(ErrorCode::usage, "classify",
                fmt::format("{} budget requests for {} texts", budgets, inputs));
  }
}

bool asks_for_latency(const BudgetRequest& request) {
  return request.latency_ms.has_value();
}

}  // namespace

// The model and the pools that wait for a caller: as many as were ever needed at once.
struct Model::State {
  std::shared_ptr<const EngineModel> model;
  std::optional<LatencyTable> table;  // of this machine
  int threads = 1;
  std::mutex mutex;
  std::vector<std::unique_ptr<WorkerPool>> idle;

  std::unique_ptr<WorkerPool> take() {
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        std::unique_ptr<WorkerPool> pool = std::move(idle.back());
        idle.pop_back();
        return pool;
      }
    }
    return std::make_unique<WorkerPool>(model, threads);
  }

  double budget_for(const BudgetRequest& request, int64_t tokens) const {
    if (!request.latency_ms) return request.fraction;
    if (!table) {
      throw Error(ErrorCode::usage, "classify",
                  "a latency target needs this machine's table: run headroom calibrate on the "
                  "checkpoint");
    }
    return table->budget_for(*request.latency_ms, tokens);
  }

  // Texts are cut into tokens first only where a budget depends on their length: otherwise the
  // pool's threads do that too.
  std::vector<Answer> classify(std::span<const TextInput> texts,
                               std::span<const BudgetRequest> requests) {
    if (std::any_of(requests.begin(), requests.end(), asks_for_latency)) {
      return classify(tokenise_all(*model, texts), requests);
    }
    std::vector<double> budgets;
    for (const BudgetRequest& request : requests) budgets.push_back(request.fraction);
    return run(texts, budgets);
  }

  std::vector<Answer> classify(std::span<const TokenInput> inputs,
                               std::span<const BudgetRequest> requests) {
    std::vector<double> budgets;
    for (size_t i = 0; i < inputs.size(); ++i) {
      budgets.push_back(budget_for(requests[i], static_cast<int64_t>(inputs[i].ids.size())));
    }
    return run(inputs, budgets);
  }

 private:
  template <typename Input>
  std::vector<Answer> run(std::span<const Input> inputs, std::span<const double> budgets) {
    std::unique_ptr<WorkerPool> pool = take();
    std::vector<Answer> answers;
    answers.reserve(inputs.size());
    for (EngineAnswer& answer : pool->classify(inputs, budgets)) {
      answers.push_back(to_answer(std::move(answer)));
    }
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(pool));
    return answers;
  }

  Answer to_answer(EngineAnswer&& answer) const {
    std::optional<double> predicted;
    if (table) predicted = table->estimate(answer.budget, answer.tokens).median_ms;
    return {static_cast<size_t>(answer.label),
            std::move(answer.scores),
            answer.budget,
            answer.active_heads,
            answer.tokens,
            answer.milliseconds,
            predicted};
  }
};

Model::Model(std::shared_ptr<State> state) : state_(std::move(state)) {}

Model Model::load(const std::filesystem::path& directory, const LoadOptions& options) {
  auto state = std::make_shared<State>();
  const Precision precision = precision_of(options.arithmetic);
  state->model = EngineModel::load(directory, {precision, {}});
  // One text is one sequence, which one thread computes.
  state->table =
      find_latency_table(directory, cpu_name(), std::string(precision_name(precision)), 1);
  state->threads = options.threads;
  state->idle.push_back(std::make_unique<WorkerPool>(state->model, options.threads));
  return Model(std::move(state));
}

Answer Model::classify(std::string_view text, BudgetRequest budget) const {
  const Text one = {text};
  return std::move(classify(std::span<const Text>(&one, 1), budget).front());
}

std::vector<Answer> Model::classify(std::span<const Text> texts, BudgetRequest budget) const {
  return classify(texts, std::vector<BudgetRequest>(texts.size(), budget));
}

std::vector<Answer> Model::classify(std::span<const Tokens> inputs, BudgetRequest budget) const {
  return classify(inputs, std::vector<BudgetRequest>(inputs.size(), budget));
}

std::vector<Answer> Model::classify(std::span<const Text> texts,
                                    std::span<const BudgetRequest> budgets) const {
  check_counts(texts.size(), budgets.size());
  return state_->classify(to_inputs(texts), budgets);
}

std::vector<Answer> Model::classify(std::span<const Tokens> inputs,
                                    std::span<const BudgetRequest> budgets) const {
  check_counts(inputs.size(), budgets.size());
  return state_->classify(to_inputs(inputs), budgets);
}

const std::vector<std::string>& Model::labels() const {
  return state_->model->config().labels;
}

int64_t Model::longest_input() const {
  return state_->model->config().shape.positions;
}

Work Model::work(BudgetRequest budget, int64_t tokens) const {
  const ModelConfig& config = state_->model->config();
  const Cost cost = cost_of(config.shape, config.selection(budget.fraction), tokens);
  return {cost.attention_macs, cost.model_macs};
}

std::string_view Model::instruction_set() const {
  return isa_name(state_->model->kernels().isa);
}

}  // namespace headroom
