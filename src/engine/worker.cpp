#include "engine/worker.h"

#include <algorithm>

namespace headroom {
namespace {

// Budgets are few in practice; one that changes with every request must not fill the memory.
constexpr size_t most_plans = 256;

}  // namespace

const Plan& Worker::plan(double fraction) {
  const auto known = plans_.find(fraction);
  if (known != plans_.end()) return known->second;
  return plans_.emplace(fraction, model_->plan(fraction)).first->second;
}

std::vector<Answer> Worker::run(std::span<const Tokens> inputs, std::span<const double> fractions) {
  const Encoder encoder = model_->encoder();
  if (plans_.size() >= most_plans) plans_.clear();
  chosen_.clear();
  for (const double fraction : fractions) chosen_.push_back(&plan(fraction));
  size_t size = 0;
  for (const Tokens& input : inputs) size += encoder.outputs_of(input);
  outputs_.resize(size);
  heads_run_.resize(inputs.size());
  encoder.run(inputs, chosen_, outputs_, arena_, heads_run_, threads_);
  const auto total_heads = static_cast<double>(model_->config().shape.total_heads());
  std::vector<Answer> answers(inputs.size());
  std::span<const float> outputs = outputs_;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const size_t count = encoder.outputs_of(inputs[i]);
    answers[i].budget = std::max(fractions[i], least_budget_);
    model_->head().answer(inputs[i], outputs.first(count), answers[i]);
    outputs = outputs.subspan(count);
    answers[i].active_heads = static_cast<double>(heads_run_[i]) / total_heads;
    answers[i].active_ffn = chosen_[i]->active_ffn;
    answers[i].tokens = static_cast<int64_t>(inputs[i].ids.size());
  }
  return answers;
}

}  // namespace headroom
