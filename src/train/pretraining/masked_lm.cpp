#include "train/pretraining/masked_lm.h"

#include <fmt/format.h>

#include <cmath>

namespace headroom {
inline namespace train {
namespace {

constexpr uint64_t validation_seed = 0x6d61736b;

class MaskedLmStage : public PretrainingStage {
 public:
  MaskedLmStage(const PretrainingSettings& settings, const std::vector<Batch>& validation)
      : PretrainingStage(settings),
        validation_(hidden_rows(validation, settings.masks, validation_seed)) {}

  torch::Tensor loss(const ElasticModel& model, const Batch& batch, Random& random) override {
    const SegmentBatch rows = shown(batch);
    const MaskedBatch masked = hide(rows.batch);
    const ElasticModel working = in_working_precision(model);
    const ModelWeights weights = weights_for(working, random);
    const ForwardOptions options = model.training();
    const torch::Tensor x = encode(weights, masked.batch, options);
    const torch::Tensor logits = hidden_logits(weights, x, masked, options.layer_norm_eps);
    return with_order(torch::cross_entropy_loss(logits, masked.answers), working, x, rows);
  }

  Validation validate(const ElasticModel& model) override {
    const torch::InferenceMode inference;
    const ElasticModel working = in_working_precision(model);
    const ForwardOptions options = model.evaluation();
    MaskedTally tally;
    OrderTally order;
    for (const HiddenRows& hidden : validation_) {
      const torch::Tensor x = encode(working.weights, hidden.masked.batch, options);
      tally.add(hidden_logits(working.weights, x, hidden.masked, options.layer_norm_eps),
                hidden.masked.answers);
      if (orders()) order.add(order_logits(working, x), hidden.rows.swapped);
    }
    look_for_plateau(tally.mean_loss());
    Validation validation{
        tally.accuracy(),
        {{"loss", tally.mean_loss()}, {"perplexity", std::exp(tally.mean_loss())}},
        {}};
    if (orders()) validation.summary = fmt::format("{:.1f} % of hidden", 100 * tally.accuracy());
    tell_order(order, validation);
    return validation;
  }

 private:
  std::vector<HiddenRows> validation_;
};

}  // namespace

std::unique_ptr<Stage> masked_lm_stage(const PretrainingSettings& settings,
                                       const std::vector<Batch>& validation) {
  return std::make_unique<MaskedLmStage>(settings, validation);
}

}  // namespace train
}  // namespace headroom
