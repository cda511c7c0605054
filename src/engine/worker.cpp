#include "engine/worker.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace headroom {
namespace {

// Budgets are few in practice; one that changes with every request must not fill the memory.
constexpr size_t most_plans = 256;

}  // namespace

Tokens tokenise(const EngineModel& model, const Text& input) {
  const auto limit = static_cast<int>(model.config().shape.positions);
  if (!input.pair) return {model.tokenizer().encode(input.text, limit)};
  EncodedPair pair = model.tokenizer().encode_pair(input.text, *input.pair, limit);
  return {std::move(pair.ids), std::move(pair.types)};
}

Answer answer_from(std::span<const float> logits) {
  Answer answer;
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const float logit : logits) {
    answer.scores.push_back(std::exp(logit - largest));
    sum += answer.scores.back();
  }
  for (double& score : answer.scores) score /= sum;
  answer.label = static_cast<size_t>(std::max_element(answer.scores.begin(), answer.scores.end()) -
                                     answer.scores.begin());
  return answer;
}

const Plan& Worker::plan(double budget) {
  const auto known = plans_.find(budget);
  if (known != plans_.end()) return known->second;
  return plans_.emplace(budget, model_->plan(budget)).first->second;
}

std::vector<Answer> Worker::classify(std::span<const Text> inputs, double budget) {
  return classify(inputs, std::vector<double>(inputs.size(), budget));
}

std::vector<Answer> Worker::classify(std::span<const Tokens> inputs, double budget) {
  return classify(inputs, std::vector<double>(inputs.size(), budget));
}

std::vector<Answer> Worker::classify(std::span<const Text> inputs,
                                     std::span<const double> budgets) {
  const auto started = std::chrono::steady_clock::now();
  std::vector<Tokens> tokens;
  tokens.reserve(inputs.size());
  for (const Text& input : inputs) tokens.push_back(tokenise(*model_, input));
  std::vector<Answer> answers = classify(std::span<const Tokens>(tokens), budgets);
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - started;
  for (Answer& answer : answers) answer.milliseconds = elapsed.count();
  return answers;
}

std::vector<Answer> Worker::classify(std::span<const Tokens> inputs,
                                     std::span<const double> budgets) {
  const auto started = std::chrono::steady_clock::now();
  const auto labels = static_cast<size_t>(model_->config().shape.labels);
  if (plans_.size() >= most_plans) plans_.clear();
  chosen_.clear();
  for (const double budget : budgets) chosen_.push_back(&plan(budget));
  std::vector<float> rows(inputs.size() * labels);
  heads_run_.resize(inputs.size());
  model_->encoder().run(inputs, chosen_, rows, arena_, heads_run_);
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - started;
  const auto total_heads = static_cast<double>(model_->config().shape.total_heads());
  std::vector<Answer> answers;
  answers.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    answers.push_back(answer_from(std::span<const float>(rows).subspan(i * labels, labels)));
    answers.back().budget = budgets[i];
    answers.back().active_heads = static_cast<double>(heads_run_[i]) / total_heads;
    answers.back().active_ffn = chosen_[i]->active_ffn;
    answers.back().tokens = static_cast<int64_t>(inputs[i].ids.size());
    answers.back().milliseconds = elapsed.count();
  }
  return answers;
}

}  // namespace headroom
