// How a pretraining run starts, as a function of the model's shape and the text, so that it does
// not stay on the plateau where a model predicts word frequencies and nothing else
// (docs/pretraining.md).
#pragma once

#include <vector>

#include "data/formats/documents.h"
#include "model/weights.h"
#include "train/pretraining/masking.h"
#include "train/pretraining/token_detection.h"

namespace headroom {

// The peak learning rate: 1e-3 at 4 layers of width 256, and no more for smaller shapes; falls with
// the square roots of depth and width.
double pretraining_rate(const ModelShape& shape);

// Steps until the peak: 1,000, but at most half of a run of `steps` (0: measured in time). A count,
// not a share: what post-norm needs to find its feet does not depend on how long the run is.
int64_t pretraining_warmup(int64_t steps);

// The logarithm of every token's share of the rows, (V); special tokens, which are never hidden,
// and tokens that do not occur count as one.
std::vector<float> log_frequencies(const PackedRows& rows, const MaskSettings& masks);

// Nats per ordinary token of `rows` that these frequencies cost: the loss on the plateau.
double frequency_loss(const std::vector<float>& log_frequencies, const PackedRows& rows,
                      const MaskSettings& masks);

// Fresh weights whose layers begin near the identity (what each adds to the residual stream is
// scaled by 1 / 2L, about the ratio that DeepNorm starts with, arXiv 2203.00555) and whose output
// bias is log_frequencies, up to a constant: the run begins on the plateau, and the word table need
// not be bent to get there. That is what drowned the words' differences before attention could use
// them.
ModelWeights pretraining_weights(const ModelShape& shape, uint64_t seed,
                                 const std::vector<float>& log_frequencies, torch::Device device);

// The generator of replaced tokens for an encoder: as deep, with about `share` of its heads and
// neurons, behind the encoder's tables and a projection.
ModelShape generator_shape(const ModelShape& encoder, double share);

// It begins as pretraining_weights() do; the head expects `replaced` of all tokens to be so.
TokenDetection pretraining_detection(const ModelShape& encoder, double generator_share,
                                     double replaced, uint64_t seed,
                                     const std::vector<float>& log_frequencies,
                                     torch::Device device);

}  // namespace headroom
