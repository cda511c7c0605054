#include "train/pretraining/masked_lm.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "train/pretraining/pretraining_stage.h"
#include "train/rows/shuffled_rows.h"

namespace headroom {
namespace {

constexpr uint64_t validation_seed = 0x6d61736b;

torch::Tensor as_tensor(const PackedRows& rows, torch::Device device) {
  return torch::tensor(rows.tokens, torch::kInt32).view({rows.size(), rows.row_tokens}).to(device);
}

class MaskedLmStage : public PretrainingStage {
 public:
  MaskedLmStage(const MaskSettings& settings, const std::vector<Batch>& validation,
                const PlateauWatch& watch, double nested)
      : PretrainingStage(settings, watch, nested) {
    torch::manual_seed(validation_seed);
    for (const Batch& batch : validation) {
      validation_.push_back(hide_tokens(batch, settings, settings.share_at_end));
    }
  }

  torch::Tensor loss(const ElasticModel& model, const Batch& batch, Random& random) override {
    const MaskedBatch masked = hide(batch);
    const ModelWeights weights = weights_for(in_working_precision(model), random);
    return torch::cross_entropy_loss(hidden_logits(weights, masked, model.training()),
                                     masked.answers);
  }

  Validation validate(const ElasticModel& model) override {
    const torch::InferenceMode inference;
    const ModelWeights weights = in_working_precision(model).weights;
    MaskedTally tally;
    for (const MaskedBatch& masked : validation_) {
      tally.add(hidden_logits(weights, masked, model.evaluation()), masked.answers);
    }
    look_for_plateau(tally.mean_loss());
    return {tally.accuracy(),
            {{"loss", tally.mean_loss()}, {"perplexity", std::exp(tally.mean_loss())}}};
  }

 private:
  std::vector<MaskedBatch> validation_;
};

class PackedSource : public BatchSource {
 public:
  PackedSource(const PackedRows& rows, int batch_size, uint64_t seed, torch::Device device)
      : rows_(as_tensor(rows, device)),
        order_(rows.size(), batch_size, seed, 0x7061636b6564, device) {}

  Batch batch(int64_t step, BatchPiece piece) override {
    Batch batch;
    batch.tokens = rows_.index_select(0, piece.rows_of(order_.at(step))).to(torch::kInt64);
    batch.share = static_cast<double>(batch.size()) / static_cast<double>(batch_size());
    return batch;
  }
  int64_t steps_per_epoch() const override { return order_.steps_per_epoch(); }
  int64_t batch_size() const override { return order_.batch_size(); }

 private:
  torch::Tensor rows_;
  ShuffledRows order_;
};

}  // namespace

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

void PlateauWatch::look(int64_t step, double loss) {
  if (told || !on_plateau(step, loss)) return;
  told = true;
  progress->note(fmt::format(
      "after {} steps the loss, {:.2f}, is still about that of predicting word frequencies alone, "
      "{:.2f}: this run may never learn more. Stop it and start again with half the rate (--lr "
      "{:.2g}) or twice the --warmup",
      step, loss, frequency_loss, rate / 2));
}

torch::Tensor hidden_logits(const ModelWeights& weights, const MaskedBatch& masked,
                            const ForwardOptions& options) {
  const torch::Tensor x = encode(weights, masked.batch, options);
  const torch::Tensor rows = x.reshape({-1, x.size(-1)}).index_select(0, masked.positions);
  return masked_logits(weights, rows, options.layer_norm_eps).to(torch::kFloat32);
}

void MaskedTally::add(const torch::Tensor& logits, const torch::Tensor& answers) {
  hits += (logits.argmax(-1) == answers).sum().item<double>();
  loss += torch::cross_entropy_loss(logits, answers, {}, torch::Reduction::Sum).item<double>();
  count += (answers >= 0).sum().item<int64_t>();
}

std::unique_ptr<Stage> masked_lm_stage(const MaskSettings& settings,
                                       const std::vector<Batch>& validation,
                                       const PlateauWatch& watch, double nested) {
  return std::make_unique<MaskedLmStage>(settings, validation, watch, nested);
}

std::unique_ptr<BatchSource> packed_source(const PackedRows& rows, int batch_size, uint64_t seed,
                                           torch::Device device) {
  return std::make_unique<PackedSource>(rows, batch_size, seed, device);
}

std::vector<Batch> packed_batches(const PackedRows& rows, int batch_size, torch::Device device) {
  const torch::Tensor all = as_tensor(rows, device).to(torch::kInt64);
  std::vector<Batch> batches;
  for (const torch::Tensor& part : all.split(batch_size)) {
    batches.emplace_back();
    batches.back().tokens = part;
  }
  return batches;
}

}  // namespace headroom
