// Hidden tokens (Devlin et al., arXiv 1810.04805, section 3.1): hide 15 % of the tokens, predict
// them. Of the hidden ones 80 % become [MASK], 10 % a random token, 10 % stay. Masks are drawn anew
// at every step, and every row hides the same number of tokens, so that only their rows of the
// output meet the vocabulary's matrix.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/batch.h"
#include "model/forward.h"
#include "model/weights.h"
#include "text/vocabulary.h"

namespace headroom {
inline namespace train {

struct MaskSettings {
  double share = 0.15;         // of a row's tokens, hidden at the first step
  double share_at_end = 0.15;  // and at the last, linear between; validation always hides this
  double masked = 0.8;         // share of the hidden ones that become [MASK]
  double random = 0.1;         // and that become a random token; the others stay
  int32_t mask_id = built_mask_id;
  int64_t vocabulary = 0;
  std::vector<int32_t> never;  // special tokens: not hidden

  double share_at(double progress) const { return share + (share_at_end - share) * progress; }
};

MaskSettings mask_settings(const Vocabulary& vocabulary);  // throws without a [MASK] token

// A batch with hidden tokens.
struct MaskedBatch {
  Batch batch;              // tokens as the model sees them
  torch::Tensor positions;  // (N) into the flattened (B * T) tokens
  torch::Tensor answers;    // (N) the ids that were there
};

// Hides `share` of every row's tokens. Drawn from torch's generator of the batch's device: seed it
// to repeat a mask.
MaskedBatch hide_tokens(const Batch& batch, const MaskSettings& settings, double share);

// Logits, in fp32, for the hidden tokens: (N, V). Of x, the encoder's output for masked.batch, or
// of what it has yet to compute.
torch::Tensor hidden_logits(const ModelWeights& weights, const torch::Tensor& x,
                            const MaskedBatch& masked, double layer_norm_eps);
torch::Tensor hidden_logits(const ModelWeights& weights, const MaskedBatch& masked,
                            const ForwardOptions& options);

// Of some hidden tokens; those without an answer do not count.
struct MaskedTally {
  double hits = 0;
  double loss = 0;
  int64_t count = 0;

  void add(const torch::Tensor& logits, const torch::Tensor& answers);
  double accuracy() const { return hits / static_cast<double>(std::max<int64_t>(count, 1)); }
  double mean_loss() const { return loss / static_cast<double>(std::max<int64_t>(count, 1)); }
};

}  // namespace train
}  // namespace headroom
