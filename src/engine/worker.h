// Classifies texts or token ids with a shared model. A worker owns its scratch memory and serves
// one thread; make one per thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "engine/arena.h"
#include "engine/model.h"
#include "headroom/types.h"

namespace headroom {

// Throws ErrorCode::bad_data when a text is not UTF-8.
Tokens tokenise(const EngineModel& model, const Text& input);

// Softmax over one row of logits; the other fields are the caller's.
Answer answer_from(std::span<const float> logits);

class Worker {
 public:
  explicit Worker(std::shared_ptr<const EngineModel> model) : model_(std::move(model)) {}

  std::vector<Answer> classify(std::span<const Text> inputs, double budget);
  std::vector<Answer> classify(std::span<const Tokens> inputs, double budget);

  // A budget for each input.
  std::vector<Answer> classify(std::span<const Text> inputs, std::span<const double> budgets);
  std::vector<Answer> classify(std::span<const Tokens> inputs, std::span<const double> budgets);

  // Without allocation once the largest call was seen: a row of labels per sequence.
  void logits(std::span<const Tokens> sequences, const Plan& plan, std::span<float> out) {
    model_->encoder().run(sequences, plan, out, arena_);
  }

  const EngineModel& model() const { return *model_; }

  // Made at the first use of a budget. Valid until the next call of classify().
  const Plan& plan(double budget);

 private:
  std::shared_ptr<const EngineModel> model_;
  Arena arena_;
  std::map<double, Plan> plans_;
  std::vector<const Plan*> chosen_;  // of one call
  std::vector<int64_t> heads_run_;
};

}  // namespace headroom
