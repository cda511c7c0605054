// Masked-language-model pretraining (Devlin et al., arXiv 1810.04805, section 3.1): hide 15 % of
// the tokens, predict them. Of the hidden ones 80 % become [MASK], 10 % a random token, 10 % stay.
// Masks are drawn anew at every step, and every row hides the same number of tokens, so that only
// their rows of the output meet the vocabulary's matrix.
#pragma once

#include <memory>
#include <vector>

#include "data/formats/documents.h"
#include "text/vocabulary.h"
#include "train/rows/batches.h"
#include "train/stages/stage.h"

namespace headroom {

struct MaskSettings {
  double share = 0.15;
  int32_t mask_id = built_mask_id;
  int64_t vocabulary = 0;
  std::vector<int32_t> never;  // special tokens: not hidden
};

MaskSettings mask_settings(const Vocabulary& vocabulary);  // throws without a [MASK] token

// A batch with hidden tokens.
struct MaskedBatch {
  Batch batch;            // tokens as the model sees them
  torch::Tensor places;   // (N) into the flattened (B * T) tokens
  torch::Tensor answers;  // (N) the ids that were there
};

// Drawn from torch's generator of the batch's device: seed it to repeat a mask.
MaskedBatch hide_tokens(const Batch& batch, const MaskSettings& settings);

// Validates on the same masks every time; the score is the share of hidden tokens predicted right.
std::unique_ptr<Stage> masked_lm_stage(const MaskSettings& settings,
                                       const std::vector<Batch>& validation);

// Epochs over packed rows, which are kept on the device.
std::unique_ptr<BatchSource> packed_source(const PackedRows& rows, int batch_size, uint64_t seed,
                                           torch::Device device);
std::vector<Batch> packed_batches(const PackedRows& rows, int batch_size, torch::Device device);

}  // namespace headroom
