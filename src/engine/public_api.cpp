// include/headroom/headroom.h over the engine.
#include <mutex>
#include <utility>

#include "budget/cost.h"
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

Answer to_answer(EngineAnswer&& answer) {
  return {static_cast<size_t>(answer.label),
          std::move(answer.scores),
          answer.budget,
          answer.active_heads,
          answer.tokens,
          answer.milliseconds};
}

std::vector<Answer> to_answers(std::vector<EngineAnswer> answers) {
  std::vector<Answer> result;
  result.reserve(answers.size());
  for (EngineAnswer& answer : answers) result.push_back(to_answer(std::move(answer)));
  return result;
}

}  // namespace

// The model and the pools that wait for a caller: as many as were ever needed at once.
struct Model::State {
  std::shared_ptr<const EngineModel> model;
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

  template <typename Input>
  std::vector<Answer> classify(const std::vector<Input>& inputs, double budget) {
    std::unique_ptr<WorkerPool> pool = take();
    std::vector<Answer> answers =
        to_answers(pool->classify(std::span<const Input>(inputs), budget));
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(pool));
    return answers;
  }
};

Model::Model(std::shared_ptr<State> state) : state_(std::move(state)) {}

Model Model::load(const std::filesystem::path& directory, const LoadOptions& options) {
  auto state = std::make_shared<State>();
  state->model = EngineModel::load(directory, {precision_of(options.arithmetic), {}});
  state->threads = options.threads;
  state->idle.push_back(std::make_unique<WorkerPool>(state->model, options.threads));
  return Model(std::move(state));
}

Answer Model::classify(std::string_view text, BudgetRequest budget) const {
  const Text one = {text};
  return std::move(classify(std::span<const Text>(&one, 1), budget).front());
}

std::vector<Answer> Model::classify(std::span<const Text> texts, BudgetRequest budget) const {
  std::vector<TextInput> inputs;
  inputs.reserve(texts.size());
  for (const Text& text : texts) {
    inputs.push_back({text.text, text.pair.value_or(""), text.pair.has_value()});
  }
  return state_->classify(inputs, budget.fraction);
}

std::vector<Answer> Model::classify(std::span<const Tokens> inputs, BudgetRequest budget) const {
  std::vector<TokenInput> copies;
  copies.reserve(inputs.size());
  for (const Tokens& input : inputs) copies.push_back({input.ids, input.types});
  return state_->classify(copies, budget.fraction);
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
