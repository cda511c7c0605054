#include "train/pretraining/replaced_tokens.h"

#include <fmt/format.h>

#include "train/stages/losses.h"

namespace headroom {
namespace {

constexpr uint64_t dice_seed = 0x64696365;

// What both models say of one batch.
struct Guess {
  torch::Tensor generator_logits;  // (N, V)
  torch::Tensor replaced;          // (B, T)
  torch::Tensor x;                 // (B, T, D): the encoder's output
  torch::Tensor detection_logits;  // (B, T)
};

Guess guess(const ElasticModel& model, const ModelWeights& encoder, const Batch& original,
            const MaskedBatch& masked, const ForwardOptions& options) {
  Guess result;
  const ModelWeights generator = with_tables(model.detection->generator, model.weights);
  result.generator_logits = hidden_logits(generator, masked, options);
  const FilledBatch filled = fill_in(original, masked, sample_tokens(result.generator_logits));
  result.replaced = filled.replaced;
  result.x = encode(encoder, filled.batch, options);
  result.detection_logits = binary_logits(model.detection->head, result.x);
  return result;
}

// Of replaced tokens among all tokens.
struct DetectionTally {
  double loss = 0;
  double tokens = 0;
  double replaced = 0;
  double called = 0;  // replaced, by the encoder
  double found = 0;   // of the replaced ones

  void add(const torch::Tensor& logits, const torch::Tensor& truth) {
    const torch::Tensor calls = logits > 0;
    const auto n = static_cast<double>(truth.numel());
    loss += sigmoid_loss(logits, truth.to(torch::kFloat32)).item<double>() * n;
    tokens += n;
    replaced += truth.sum().item<double>();
    called += calls.sum().item<double>();
    found += (calls & truth).sum().item<double>();
  }
  double mean_loss() const { return loss / std::max(tokens, 1.0); }
  double recall() const { return found / std::max(replaced, 1.0); }
  double precision() const { return found / std::max(called, 1.0); }
};

class ReplacedTokensStage : public PretrainingStage {
 public:
  ReplacedTokensStage(const PretrainingSettings& settings, const std::vector<Batch>& validation)
      : PretrainingStage(settings) {
    MaskSettings all_masked = settings.masks;
    all_masked.masked = 1;
    validation_ = hidden_rows(validation, all_masked, dice_seed);
  }

  torch::Tensor loss(const ElasticModel& model, const Batch& batch, Random& random) override {
    const SegmentBatch rows = shown(batch);
    const MaskedBatch masked = hide(rows.batch);
    const ElasticModel working = in_working_precision(model);
    const Guess found =
        guess(working, weights_for(working, random), rows.batch, masked, model.training());
    const torch::Tensor loss = replacement_loss(found.generator_logits, masked.answers,
                                                found.detection_logits, found.replaced);
    return with_order(loss, working, found.x, rows);
  }

  Validation validate(const ElasticModel& model) override {
    const torch::InferenceMode inference;
    torch::manual_seed(dice_seed);
    const ElasticModel working = in_working_precision(model);
    MaskedTally generator;
    DetectionTally encoder;
    OrderTally order;
    for (const HiddenRows& hidden : validation_) {
      const Guess found =
          guess(working, working.weights, hidden.rows.batch, hidden.masked, model.evaluation());
      generator.add(found.generator_logits, hidden.masked.answers);
      encoder.add(found.detection_logits, found.replaced);
      if (orders()) order.add(order_logits(working, found.x), hidden.rows.swapped);
    }
    look_for_plateau(generator.mean_loss());
    Validation validation{
        encoder.recall(),
        {{"precision", encoder.precision()},
         {"loss", encoder.mean_loss()},
         {"generator_accuracy", generator.accuracy()},
         {"generator_loss", generator.mean_loss()}},
        fmt::format("found {:.1f} % of replaced, detection loss {:.4f}, generator {:.1f} %",
                    100 * encoder.recall(), encoder.mean_loss(), 100 * generator.accuracy())};
    tell_order(order, validation);
    return validation;
  }

 private:
  std::vector<HiddenRows> validation_;
};

}  // namespace

torch::Tensor sample_tokens(const torch::Tensor& logits) {
  const torch::NoGradGuard no_gradients;
  // Gumbel noise, -log of exponential noise; torch::multinomial() would wait for the GPU.
  const torch::Tensor noise = torch::empty_like(logits).exponential_().log_();
  return (logits - noise).argmax(-1);
}

FilledBatch fill_in(const Batch& original, const MaskedBatch& masked,
                    const torch::Tensor& guesses) {
  const torch::Tensor before = original.tokens.flatten();
  const torch::Tensor shown =
      torch::where(masked.answers >= 0, guesses, before.index_select(0, masked.positions));
  FilledBatch filled;
  filled.batch = original;
  filled.batch.tokens = before.index_put({masked.positions}, shown).view(original.tokens.sizes());
  filled.replaced = filled.batch.tokens != original.tokens;
  return filled;
}

torch::Tensor replacement_loss(const torch::Tensor& generator_logits, const torch::Tensor& answers,
                               const torch::Tensor& detection_logits,
                               const torch::Tensor& replaced) {
  return torch::cross_entropy_loss(generator_logits, answers) +
         detection_weight * sigmoid_loss(detection_logits, replaced.to(torch::kFloat32));
}

std::unique_ptr<Stage> replaced_tokens_stage(const PretrainingSettings& settings,
                                             const std::vector<Batch>& validation) {
  return std::make_unique<ReplacedTokensStage>(settings, validation);
}

}  // namespace headroom
