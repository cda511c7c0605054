// Masked-language-model pretraining (Devlin et al., arXiv 1810.04805, section 3.1): hide 15 % of
// the tokens, predict them. Of the hidden ones 80 % become [MASK], 10 % a random token, 10 % stay.
// Masks are drawn anew at every step, and every row hides the same number of tokens, so that only
// their rows of the output meet the vocabulary's matrix.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "base/progress.h"
#include "data/formats/documents.h"
#include "text/vocabulary.h"
#include "train/rows/batches.h"
#include "train/stages/stage.h"

namespace headroom {

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

// Says so, once, when a run is still where a model predicts word frequencies and nothing else.
struct PlateauWatch {
  double frequency_loss = 0;  // nats a token that frequencies cost
  int64_t from_step = 0;      // a run may be there before; 0: nothing is watched
  double rate = 0;            // the peak learning rate, to be lowered
  ProgressSink* progress = nullptr;
  bool told = false;

  // A model that has only learned to copy the hidden tokens that stay is 8 % below frequencies.
  bool on_plateau(int64_t step, double loss) const {
    return from_step > 0 && step >= from_step && loss > 0.9 * frequency_loss;
  }
  void look(int64_t step, double loss);
};

// Logits, in fp32, for the hidden tokens: (N, V).
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

// Validates on the same masks every time; the score is the share of hidden tokens predicted right.
// A share of `nested` of the steps runs at a random budget.
std::unique_ptr<Stage> masked_lm_stage(const MaskSettings& settings,
                                       const std::vector<Batch>& validation,
                                       const PlateauWatch& watch = {}, double nested = 0);

// Epochs over packed rows, which are kept on the device.
std::unique_ptr<BatchSource> packed_source(const PackedRows& rows, int batch_size, uint64_t seed,
                                           torch::Device device);
std::vector<Batch> packed_batches(const PackedRows& rows, int batch_size, torch::Device device);

}  // namespace headroom
