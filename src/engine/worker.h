// Runs token ids with a shared model. A worker owns its scratch memory and serves one call at a
// time; make one per thread that calls, or let engine/session.h do it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "checkpoint/least_budget.h"
#include "engine/arena.h"
#include "engine/model.h"
#include "headroom/types.h"

namespace headroom {

class Worker {
 public:
  explicit Worker(std::shared_ptr<const EngineModel> model)
      : model_(std::move(model)), least_budget_(least_budget(model_->config())) {}

  // A budget for each input. What an answer took is left to the caller.
  std::vector<Answer> run(std::span<const Tokens> inputs, std::span<const double> fractions);

  // The head's outputs, without allocation once the largest call was seen.
  void outputs(std::span<const Tokens> sequences, const Plan& plan, std::span<float> out) {
    model_->encoder().run(sequences, plan, out, arena_, threads_);
  }

  // What long texts are split over from now on.
  void use(const TextThreads& threads) { threads_ = threads; }

  const EngineModel& model() const { return *model_; }

 private:
  const Plan& plan(double fraction);  // made at the first use of a budget

  std::shared_ptr<const EngineModel> model_;
  double least_budget_;
  Arena arena_;
  TextThreads threads_;
  std::map<double, Plan> plans_;
  std::vector<const Plan*> chosen_;  // of one call
  std::vector<float> outputs_;
  std::vector<int64_t> heads_run_;
};

}  // namespace headroom
