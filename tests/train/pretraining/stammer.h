// The smallest text that pretraining learns something from, and a model that does.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "train/loop/trainer.h"
#include "train/pretraining/masked_lm.h"
#include "train/pretraining/packed_source.h"
#include "train/runtime.h"

namespace headroom::testing {

inline constexpr int32_t stammer_letters = 6;
inline constexpr int64_t stammer_tokens = 16;

// Each row is one of six letters again and again: a hidden one is given away by any other, and one
// that was replaced stands out.
inline PackedRows stammer(int32_t rows) {
  PackedRows packed{stammer_tokens, {}};
  for (int32_t row = 0; row < rows; ++row) {
    packed.tokens.push_back(built_cls_id);
    packed.tokens.insert(packed.tokens.end(), stammer_tokens - 1,
                         special_count + row % stammer_letters);
  }
  return packed;
}

struct StammerModel {
  StammerModel(OutputHead head, int32_t validation_rows, int validation_batch)
      : validation(packed_batches(stammer(validation_rows), validation_batch, torch::kCPU)) {
    use_threads(1);
    masks.vocabulary = special_count + stammer_letters;
    masks.never = {built_pad_id, built_unknown_id, built_cls_id, built_sep_id, built_mask_id};
    model.shape = {.layers = 1,
                   .width = 32,
                   .heads = 4,
                   .ffn = 64,
                   .vocabulary = masks.vocabulary,
                   .positions = stammer_tokens,
                   .labels = 0};
    model.dropout = 0;
    model.weights = fresh_weights(model.shape, 1, torch::kCPU, head);
  }

  // On 24 rows, eight a step.
  void train(std::unique_ptr<Stage> stage, double rate, int64_t steps, bool keep_best) {
    std::vector<StagePlan> plans(1);
    plans[0].stage = std::move(stage);
    plans[0].schedule = {.peak = rate, .steps = steps, .warmup = 5};
    plans[0].keep_best = keep_best;
    const auto source = packed_source(stammer(24), 8, 1, torch::kCPU);
    SilentProgress silent;
    run_stages(model, plans, *source, {}, silent);
  }

  MaskSettings masks;
  ElasticModel model;
  std::vector<Batch> validation;
};

}  // namespace headroom::testing
