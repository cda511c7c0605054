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

std::vector<Tokens> tokenise_all(const EngineModel& model, std::span<const Text> texts) {
  std::vector<Tokens> tokens;
  tokens.reserve(texts.size());
  for (const Text& text : texts) tokens.push_back(tokenise(model, text));
  return tokens;
}

void check_counts(size_t inputs, size_t budgets) {
  if (inputs != budgets) {
    throw Error(ErrorCode::usage, "classify",
                fmt::format("{} budgets for {} texts", budgets, inputs));
  }
}

bool asks_for_latency(const Budget& budget) {
  return budget.latency_ms.has_value();
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

  double budget_for(const Budget& budget, int64_t tokens) const {
    if (!budget.latency_ms) return budget.fraction;
    if (!table) {
      throw Error(ErrorCode::usage, "classify",
                  "a latency target needs this machine's table: run headroom calibrate on the "
                  "checkpoint");
    }
    return table->budget_for(*budget.latency_ms, tokens);
  }

  // Texts are tokenised first only where a budget depends on their length: otherwise the
  // pool's threads do that too.
  std::vector<Answer> classify(std::span<const Text> texts, std::span<const Budget> budgets) {
    if (std::any_of(budgets.begin(), budgets.end(), asks_for_latency)) {
      return classify(tokenise_all(*model, texts), budgets);
    }
    std::vector<double> fractions;
    for (const Budget& budget : budgets) fractions.push_back(budget.fraction);
    return run(texts, fractions);
  }

  std::vector<Answer> classify(std::span<const Tokens> inputs, std::span<const Budget> budgets) {
    std::vector<double> fractions;
    for (size_t i = 0; i < inputs.size(); ++i) {
      fractions.push_back(budget_for(budgets[i], static_cast<int64_t>(inputs[i].ids.size())));
    }
    return run(inputs, fractions);
  }

 private:
  template <typename Input>
  std::vector<Answer> run(std::span<const Input> inputs, std::span<const double> fractions) {
    std::unique_ptr<WorkerPool> pool = take();
    std::vector<Answer> answers = pool->classify(inputs, fractions);
    for (Answer& answer : answers) {
      if (table) {
        answer.predicted_milliseconds = table->estimate(answer.budget, answer.tokens).median_ms;
      }
    }
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(pool));
    return answers;
  }
};

Model::Model(std::shared_ptr<State> state) : state_(std::move(state)) {}

Model Model::load(const std::filesystem::path& directory, const LoadOptions& options) {
  auto state = std::make_shared<State>();
  state->model = EngineModel::load(directory, {options.precision, {}});
  // One text is one sequence, which one thread computes.
  state->table = find_latency_table(directory, cpu_name(),
                                    std::string(precision_table.name(options.precision)), 1);
  state->threads = options.threads;
  state->idle.push_back(std::make_unique<WorkerPool>(state->model, options.threads));
  return Model(std::move(state));
}

Answer Model::classify(std::string_view text, Budget budget) const {
  const Text one = {text};
  return std::move(classify(std::span<const Text>(&one, 1), budget).front());
}

std::vector<Answer> Model::classify(std::span<const Text> texts, Budget budget) const {
  return classify(texts, std::vector<Budget>(texts.size(), budget));
}

std::vector<Answer> Model::classify(std::span<const Tokens> inputs, Budget budget) const {
  return classify(inputs, std::vector<Budget>(inputs.size(), budget));
}

std::vector<Answer> Model::classify(std::span<const Text> texts,
                                    std::span<const Budget> budgets) const {
  check_counts(texts.size(), budgets.size());
  return state_->classify(texts, budgets);
}

std::vector<Answer> Model::classify(std::span<const Tokens> inputs,
                                    std::span<const Budget> budgets) const {
  check_counts(inputs.size(), budgets.size());
  return state_->classify(inputs, budgets);
}

const std::vector<std::string>& Model::labels() const {
  return state_->model->config().labels;
}

int64_t Model::longest_input() const {
  return state_->model->config().shape.positions;
}

Work Model::work(Budget budget, int64_t tokens) const {
  const ModelConfig& config = state_->model->config();
  const Cost cost = cost_of(config.shape, config.selection(budget.fraction), tokens);
  return {cost.attention_macs, cost.model_macs};
}

std::string_view Model::instruction_set() const {
  return isa_name(state_->model->kernels().isa);
}

}  // namespace headroom
