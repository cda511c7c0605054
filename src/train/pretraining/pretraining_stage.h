// What the objectives of pretraining share: tokens hidden in a share that changes on the way, steps
// at random budgets, and a watch over a loss that stays where it began.
#pragma once

#include <string>
#include <utility>

#include "train/pretraining/masked_lm.h"
#include "train/pretraining/nested_steps.h"
#include "train/stages/stage.h"

namespace headroom {
inline namespace train {

class PretrainingStage : public Stage {
 public:
  PretrainingStage(MaskSettings settings, const PlateauWatch& watch, double nested)
      : settings_(std::move(settings)), share_(settings_.share), watch_(watch), nested_(nested) {}

  std::string name() const final { return "pretrain"; }
  void prepare(ElasticModel& model, Random& /*random*/, ProgressSink& /*progress*/) final {
    nested_.prepare(model);
  }
  void advance(double progress) final {
    share_ = settings_.share_at(progress);
    ++steps_;
  }

 protected:
  // What a step hides, and the weights that it runs.
  MaskedBatch hide(const Batch& batch) const { return hide_tokens(batch, settings_, share_); }
  ModelWeights weights_for(const ElasticModel& model, Random& random) const {
    return nested_.weights_for(model, random);
  }

  void look_for_plateau(double loss) { watch_.look(steps_, loss); }

 private:
  MaskSettings settings_;
  double share_;  // that a step hides now
  PlateauWatch watch_;
  NestedSteps nested_;
  int64_t steps_ = 0;  // of this process: after a resume the plateau is told of later
};

}  // namespace train
}  // namespace headroom
