// Pretraining on replaced tokens (ELECTRA, Clark et al., arXiv 2003.10555): a narrow generator,
// itself a masked language model, fills hidden tokens in, and the encoder says of every token
// whether it was there before. The encoder learns from all tokens of a row, not from the hidden 15
// %.
//
// The two learn side by side: the generator by its own loss, since no gradient passes a sampled
// token; the tables are shared. What they compete for moves, so a score of one step is no better or
// worse than that of another: the last weights are the ones to keep.
#pragma once

#include <memory>
#include <vector>

#include "train/pretraining/pretraining_stage.h"

namespace headroom {

// ELECTRA's weight of the encoder's loss beside the generator's.
inline constexpr double detection_weight = 50;

// A token for each row of logits, drawn from their softmax: (N, V) to (N). From torch's generator
// of the device.
torch::Tensor sample_tokens(const torch::Tensor& logits);

struct FilledBatch {
  Batch batch;             // tokens as the encoder sees them
  torch::Tensor replaced;  // (B, T) bool: another token than before. A right guess replaces nothing
};

// `original` with `guesses` (N) at the hidden positions of `masked`.
FilledBatch fill_in(const Batch& original, const MaskedBatch& masked, const torch::Tensor& guesses);

// The generator's mean over hidden tokens + 50 * the encoder's over all tokens.
torch::Tensor replacement_loss(const torch::Tensor& generator_logits, const torch::Tensor& answers,
                               const torch::Tensor& detection_logits,
                               const torch::Tensor& replaced);

// Needs ElasticModel::detection. Validates on the same masks and the same dice every time, and with
// all hidden tokens masked: none is there to be copied. The score is the share of replaced tokens
// found, with a logit above 0. The plateau is the generator's: at first it knows how frequent words
// are. Nested steps run the encoder at a random budget, not the generator.
std::unique_ptr<Stage> replaced_tokens_stage(const PretrainingSettings& settings,
                                             const std::vector<Batch>& validation);

}  // namespace headroom
