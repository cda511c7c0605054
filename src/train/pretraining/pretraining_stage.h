// What the objectives of pretraining share: how rows are shown (their length, the order of their
// segments), tokens hidden in a share that changes on the way, steps at random budgets, and a watch
// over a loss that stays where it began.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "train/pretraining/masking.h"
#include "train/pretraining/nested_steps.h"
#include "train/pretraining/plateau_watch.h"
#include "train/pretraining/segment_order.h"
#include "train/stages/stage.h"

namespace headroom {
inline namespace train {

// Rows of fewer tokens, more of them, for a first part of the run: attention costs less.
struct LengthSchedule {
  int64_t tokens = 0;  // of the short rows
  double share = 0;    // of the run; 0: all rows as they are

  bool shortens(double progress) const { return progress < share; }
};

struct PretrainingSettings {
  MaskSettings masks;
  LengthSchedule lengths = {};
  SegmentSettings segments = {};
  PlateauWatch watch = {};
  double nested = 0;  // share of the steps that run at a random budget
};

// Of rows whose segments may be swapped.
struct OrderTally {
  double hits = 0;
  int64_t count = 0;

  void add(const torch::Tensor& logits, const torch::Tensor& swapped);
  double accuracy() const { return hits / static_cast<double>(std::max<int64_t>(count, 1)); }
};

// Validation rows as they are shown.
struct HiddenRows {
  SegmentBatch rows;
  MaskedBatch masked;
};

class PretrainingStage : public Stage {
 public:
  explicit PretrainingStage(PretrainingSettings settings)
      : settings_(std::move(settings)), nested_(settings_.nested) {}

  std::string name() const final { return "pretrain"; }
  void prepare(ElasticModel& model, Random& /*random*/, ProgressSink& /*progress*/) final {
    nested_.prepare(model);
  }
  void advance(double progress) final {
    progress_ = progress;
    ++steps_;
  }

 protected:
  // A batch as a step shows it, and as validation does: at its whole length.
  SegmentBatch shown(const Batch& batch) const;
  SegmentBatch arranged(const Batch& batch) const;

  // What validation hides, the same each time: `seed` sets torch's dice.
  std::vector<HiddenRows> hidden_rows(const std::vector<Batch>& validation,
                                      const MaskSettings& masks, uint64_t seed) const;

  // What a step hides, and the weights that it runs.
  MaskedBatch hide(const Batch& batch) const {
    return hide_tokens(batch, settings_.masks, settings_.masks.share_at(progress_));
  }
  ModelWeights weights_for(const ElasticModel& model, Random& random) const {
    return nested_.weights_for(model, random);
  }

  bool orders() const { return settings_.segments.weight > 0; }
  // The objective's loss, and that of the segments' order: x is the encoder's output for `rows`.
  torch::Tensor with_order(const torch::Tensor& loss, const ElasticModel& model,
                           const torch::Tensor& x, const SegmentBatch& rows) const;
  // What validation says of the order, where it is asked for.
  void tell_order(const OrderTally& order, Validation& validation) const;

  void look_for_plateau(double loss) { settings_.watch.look(steps_, loss); }

 private:
  PretrainingSettings settings_;
  NestedSteps nested_;
  double progress_ = 0;
  int64_t steps_ = 0;  // of this process: after a resume the plateau is told of later
};

// The logits that segments are swapped: (B, T, D) to (B).
torch::Tensor order_logits(const ElasticModel& model, const torch::Tensor& x);

}  // namespace train
}  // namespace headroom
