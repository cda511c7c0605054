// One stage of training: what is minimised, and what validation measures. The loop that runs stages
// (train/trainer.h) knows nothing of budgets; stages know nothing of steps, files or schedules.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/progress.h"
#include "base/random.h"
#include "model/batch.h"
#include "train/stages/elastic_model.h"

namespace headroom {
inline namespace train {

struct Validation {
  double score = 0;                                     // to be maximised
  std::vector<std::pair<std::string, double>> details;  // for the log: "accuracy@0.5", "mass@0.5"
  std::string summary = {};                             // for the progress line; empty: the score

  // One of `details` that is known to be there.
  double detail(std::string_view name) const {
    return std::find_if(details.begin(), details.end(),
                        [&](const auto& each) { return each.first == name; })
        ->second;
  }
};

class Stage {
 public:
  virtual ~Stage() = default;
  virtual std::string name() const = 0;

  // Called once before the first step ever, not after a resume: may rearrange the model in place,
  // keeping its tensors. `random` is a function of seed and stage.
  virtual void prepare(ElasticModel& /*model*/, Random& /*random*/, ProgressSink& /*progress*/) {}

  // Called once before the first step and after every resume, with a copy of the model as it was
  // when the stage began: the natural teacher.
  virtual void begin(ElasticModel /*start*/) {}

  // Called before every step with the share of the stage that is done, 0 to 1: for a loss that
  // changes on the way.
  virtual void advance(double /*progress*/) {}

  // `random` is a function of seed, stage and step; use it for every choice.
  virtual torch::Tensor loss(const ElasticModel& model, const Batch& batch, Random& random) = 0;

  virtual Validation validate(const ElasticModel& model) = 0;
};

}  // namespace train
}  // namespace headroom
