// include/headroom/headroom.h over the engine's session.
#include <utility>

#include "budget/cost.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/precision_file.h"
#include "engine/answers/answer_texts.h"
#include "engine/session.h"
#include "headroom/headroom.h"

namespace headroom {
namespace {

EngineOptions engine_options(Precision precision, const LoadOptions& options) {
  EngineOptions engine{precision};
  engine.packed_cache = options.packed_cache;
  return engine;
}

}  // namespace

struct Model::State {
  State(const std::filesystem::path& directory, const ModelConfig& config, Precision chosen,
        const LoadOptions& options)
      : precision(chosen),
        session(EngineModel::load(directory, config, engine_options(chosen, options)),
                options.threads, find_text_latencies(directory, chosen)) {}
  Precision precision;
  Session session;
};

Model::Model(std::shared_ptr<State> state) : state_(std::move(state)) {}

Model Model::load(const std::filesystem::path& directory, const LoadOptions& options) {
  const ModelConfig config = read_config(directory);
  const Precision precision =
      options.precision ? *options.precision : chosen_precision(directory, config);
  return Model(std::make_shared<State>(directory, config, precision, options));
}

Answer Model::classify(std::string_view text, Budget budget) const {
  return answer(text, budget);
}

std::vector<Answer> Model::classify(std::span<const Text> texts, Budget budget) const {
  return answer(texts, std::span(&budget, 1));
}

std::vector<Answer> Model::classify(std::span<const Tokens> inputs, Budget budget) const {
  return state_->session.run(inputs, budget);
}

std::vector<Answer> Model::classify(std::span<const Text> texts,
                                    std::span<const Budget> budgets) const {
  return answer(texts, budgets);
}

std::vector<Answer> Model::classify(std::span<const Tokens> inputs,
                                    std::span<const Budget> budgets) const {
  return state_->session.run(inputs, budgets);
}

std::vector<Answer> Model::answer(std::span<const Text> texts, std::span<const Budget> budgets,
                                  const AnswerOptions& options) const {
  return answer_texts(state_->session, texts, budgets, options);
}

Answer Model::answer(std::string_view text, Budget budget, const AnswerOptions& options) const {
  const Text one = {text};
  return std::move(answer(std::span(&one, 1), std::span(&budget, 1), options).front());
}

std::vector<Answer> Model::rerank(std::string_view query,
                                  std::span<const std::string_view> passages, Budget budget) const {
  return rank_passages(state_->session, query, passages, budget);
}

std::string_view Model::task() const {
  return task_name(state_->session.model().config().task);
}

const std::vector<std::string>& Model::labels() const {
  return state_->session.model().config().labels;
}

int64_t Model::longest_input() const {
  return state_->session.model().config().longest_input();
}

Work Model::work(Budget budget, int64_t tokens) const {
  const Session& session = state_->session;
  const ModelConfig& config = session.model().config();
  const auto cost_at = [&](double fraction) {
    if (fraction == 0) return Cost{0, session.model().policy().rung_zero->macs(tokens)};
    return cost_of(config.shape, config.selection(fraction), tokens);
  };
  if (!budget.automatic) {
    const Cost cost = cost_at(session.fraction(budget, tokens));
    return {cost.attention_macs, cost.model_macs};
  }
  session.ladder().require(budget);
  const Policy& policy = *session.model().policy().policy;
  const auto expected = [&](double Cost::*part) {
    return policy.expected(policy.top(), [&](double rung) { return cost_at(rung).*part; });
  };
  return {expected(&Cost::attention_macs), expected(&Cost::model_macs)};
}

Precision Model::precision() const {
  return state_->precision;
}

std::string_view Model::instruction_set() const {
  return isa_name(state_->session.model().kernels().isa);
}

}  // namespace headroom
