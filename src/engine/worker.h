// Classifies texts or token ids with a shared model. A worker owns its scratch memory and serves
// one thread; make one per thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "engine/arena.h"
#include "engine/model.h"

namespace headroom {

struct TextInput {
  std::string_view text;
  std::string_view text_pair = {};
  bool is_pair = false;
};

// A text as the encoder takes it.
struct TokenInput {
  std::vector<int32_t> ids;
  std::vector<int32_t> types = {};  // none: all 0

  Sequence view() const { return {ids, types}; }
};

struct EngineAnswer {
  int64_t label = 0;           // of the highest score
  std::vector<double> scores;  // one probability per label
  double budget = 1;
  double active_heads = 1;  // share of the model's heads that ran
  double active_ffn = 1;    // and of its FFN neurons
  int64_t tokens = 0;
  double milliseconds = 0;  // of the call that gave this answer, its other inputs included
};

// Throws ErrorCode::bad_data when a text is not UTF-8.
TokenInput tokenise(const EngineModel& model, const TextInput& input);

// Softmax over one row of logits; the other fields are the caller's.
EngineAnswer answer_from(std::span<const float> logits);

class Worker {
 public:
  explicit Worker(std::shared_ptr<const EngineModel> model) : model_(std::move(model)) {}

  std::vector<EngineAnswer> classify(std::span<const TextInput> inputs, double budget);
  std::vector<EngineAnswer> classify(std::span<const TokenInput> inputs, double budget);

  // A budget for each input.
  std::vector<EngineAnswer> classify(std::span<const TextInput> inputs,
                                     std::span<const double> budgets);
  std::vector<EngineAnswer> classify(std::span<const TokenInput> inputs,
                                     std::span<const double> budgets);

  // Without allocation once the largest call was seen: a row of labels per sequence.
  void logits(std::span<const Sequence> sequences, const Plan& plan, std::span<float> out) {
    model_->encoder().run(sequences, plan, out, arena_);
  }

  const EngineModel& model() const { return *model_; }

  // Made at the first use of a budget. Valid until the next call of classify().
  const Plan& plan(double budget);

 private:
  std::shared_ptr<const EngineModel> model_;
  Arena arena_;
  std::map<double, Plan> plans_;
  std::vector<Sequence> sequences_;  // of one call
  std::vector<const Plan*> chosen_;
  std::vector<int64_t> heads_run_;
};

}  // namespace headroom
