#include "train/stages/masked_lm.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "train/loop/autocast.h"
#include "train/rows/shuffled_rows.h"

namespace headroom {
namespace {

constexpr uint64_t validation_seed = 0x6d61736b;

torch::Tensor as_tensor(const PackedRows& rows, torch::Device device) {
  return torch::tensor(rows.tokens, torch::kInt32).view({rows.size(), rows.row_tokens}).to(device);
}

torch::Tensor logits_at(const ElasticModel& model, const MaskedBatch& masked,
                        const ForwardOptions& options) {
  const torch::Tensor x = encode(model.weights, masked.batch, options);
  return masked_logits(model.weights, x.reshape({-1, x.size(-1)}).index_select(0, masked.places),
                       model.layer_norm_eps);
}

class MaskedLmStage : public Stage {
 public:
  MaskedLmStage(MaskSettings settings, const std::vector<Batch>& validation)
      : settings_(std::move(settings)) {
    torch::manual_seed(validation_seed);
    for (const Batch& batch : validation) validation_.push_back(hide_tokens(batch, settings_));
  }

  std::string name() const override { return "pretrain"; }

  torch::Tensor loss(const ElasticModel& model, const Batch& batch, Random& /*random*/) override {
    const Bf16Autocast autocast(model.device());
    const MaskedBatch masked = hide_tokens(batch, settings_);
    const torch::Tensor logits = logits_at(model, masked, model.training());
    return torch::cross_entropy_loss(logits.to(torch::kFloat32), masked.answers);
  }

  Validation validate(const ElasticModel& model) override {
    const torch::InferenceMode inference;
    const Bf16Autocast autocast(model.device());
    double hits = 0;
    double loss = 0;
    int64_t count = 0;
    for (const MaskedBatch& masked : validation_) {
      const torch::Tensor logits = logits_at(model, masked, model.evaluation()).to(torch::kFloat32);
      hits += (logits.argmax(-1) == masked.answers).sum().item<double>();
      loss += torch::cross_entropy_loss(logits, masked.answers, {}, torch::Reduction::Sum)
                  .item<double>();
      count += (masked.answers >= 0).sum().item<int64_t>();
    }
    const auto n = static_cast<double>(std::max<int64_t>(count, 1));
    return {hits / n, {{"loss", loss / n}, {"perplexity", std::exp(loss / n)}}};
  }

 private:
  MaskSettings settings_;
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

MaskedBatch hide_tokens(const Batch& batch, const MaskSettings& settings) {
  const torch::NoGradGuard no_gradients;
  const int64_t B = batch.size();
  const int64_t T = batch.length();
  const int64_t hidden =
      std::max<int64_t>(1, std::llround(settings.share * static_cast<double>(T)));
  const auto device = batch.tokens.device();
  // The `hidden` largest of T random numbers; special tokens get none, so they come last.
  torch::Tensor lot = torch::rand({B, T}, device);
  for (const int32_t id : settings.never) lot.masked_fill_(batch.tokens == id, -1.0);
  const auto [chance, columns] = lot.topk(hidden, 1);
  torch::Tensor places = columns + torch::arange(B, columns.options()).unsqueeze(1) * T;
  places = places.flatten();
  // A row with too few ordinary tokens hides fewer: a special token is never asked for.
  const torch::Tensor ordinary = (chance.flatten() >= 0);
  const torch::Tensor answers = batch.tokens.flatten().index_select(0, places);

  const torch::Tensor fate = torch::rand({places.size(0)}, device);
  const torch::Tensor strangers =
      torch::randint(special_count, settings.vocabulary, {places.size(0)}, answers.options());
  torch::Tensor shown =
      torch::where(fate < 0.8, torch::full_like(answers, settings.mask_id), answers);
  shown = torch::where((fate >= 0.8) & (fate < 0.9), strangers, shown);
  shown = torch::where(ordinary, shown, answers);

  MaskedBatch masked;
  masked.batch = batch;
  masked.batch.tokens = batch.tokens.flatten().index_put({places}, shown).view({B, T});
  masked.places = places;
  // cross_entropy_loss ignores -100.
  masked.answers = torch::where(ordinary, answers, torch::full_like(answers, -100));
  return masked;
}

std::unique_ptr<Stage> masked_lm_stage(const MaskSettings& settings,
                                       const std::vector<Batch>& validation) {
  return std::make_unique<MaskedLmStage>(settings, validation);
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
