#include "train/pretraining/masking.h"

#include <cmath>

#include "base/error.h"

namespace headroom {
inline namespace train {

MaskSettings mask_settings(const Vocabulary& vocabulary) {
  if (!vocabulary.mask_id()) {
    throw Error(ErrorCode::bad_model, "pretrain",
                "the vocabulary has no [MASK] token: it was not made for pretraining");
  }
  if (vocabulary.size() <= special_count) {
    throw Error(ErrorCode::bad_model, "pretrain", "the vocabulary holds only special tokens");
  }
  MaskSettings settings;
  settings.mask_id = *vocabulary.mask_id();
  settings.vocabulary = vocabulary.size();
  settings.never = {vocabulary.pad_id(), vocabulary.unknown_id(), vocabulary.cls_id(),
                    vocabulary.sep_id(), settings.mask_id};
  return settings;
}

MaskedBatch hide_tokens(const Batch& batch, const MaskSettings& settings, double share) {
  const torch::NoGradGuard no_gradients;
  const int64_t B = batch.size();
  const int64_t T = batch.length();
  const int64_t hidden = std::max<int64_t>(1, std::llround(share * static_cast<double>(T)));
  const auto device = batch.tokens.device();
  // The `hidden` largest of T random numbers; special tokens get -1, so they come last.
  torch::Tensor keys = torch::rand({B, T}, device);
  for (const int32_t id : settings.never) keys.masked_fill_(batch.tokens == id, -1.0);
  const auto [largest, columns] = keys.topk(hidden, 1);
  const torch::Tensor row_starts = torch::arange(B, columns.options()).unsqueeze(1) * T;
  const torch::Tensor positions = (columns + row_starts).flatten();
  // A row with too few ordinary tokens hides fewer: a special token is never asked for.
  const torch::Tensor ordinary = (largest.flatten() >= 0);
  const torch::Tensor answers = batch.tokens.flatten().index_select(0, positions);

  const torch::Tensor draw = torch::rand({positions.size(0)}, device);
  const torch::Tensor random_tokens =
      torch::randint(special_count, settings.vocabulary, {positions.size(0)}, answers.options());
  torch::Tensor shown =
      torch::where(draw < settings.masked, torch::full_like(answers, settings.mask_id), answers);
  const double changed = settings.masked + settings.random;
  shown = torch::where((draw >= settings.masked) & (draw < changed), random_tokens, shown);
  shown = torch::where(ordinary, shown, answers);

  MaskedBatch masked;
  masked.batch = batch;
  masked.batch.tokens = batch.tokens.flatten().index_put({positions}, shown).view({B, T});
  masked.positions = positions;
  // cross_entropy_loss ignores -100.
  masked.answers = torch::where(ordinary, answers, torch::full_like(answers, -100));
  return masked;
}

torch::Tensor hidden_logits(const ModelWeights& weights, const torch::Tensor& x,
                            const MaskedBatch& masked, double layer_norm_eps) {
  const torch::Tensor rows = x.reshape({-1, x.size(-1)}).index_select(0, masked.positions);
  return masked_logits(weights, rows, layer_norm_eps).to(torch::kFloat32);
}

torch::Tensor hidden_logits(const ModelWeights& weights, const MaskedBatch& masked,
                            const ForwardOptions& options) {
  return hidden_logits(weights, encode(weights, masked.batch, options), masked,
                       options.layer_norm_eps);
}

void MaskedTally::add(const torch::Tensor& logits, const torch::Tensor& answers) {
  hits += (logits.argmax(-1) == answers).sum().item<double>();
  loss += torch::cross_entropy_loss(logits, answers, {}, torch::Reduction::Sum).item<double>();
  count += (answers >= 0).sum().item<int64_t>();
}

}  // namespace train
}  // namespace headroom
