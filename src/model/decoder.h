// The decoder of a translation model, and generation token by token.
#pragma once

#include <vector>

#include "model/attention.h"
#include "model/forward.h"

namespace headroom {

// The decoder's output (B, T, D) for `target` (B, T), which reads the encoder's output `memory`
// (B, S, D) with its `key_bias`. Words and positions are the encoder's; token type 1 says that this
// is the target.
torch::Tensor decode(const ModelWeights& weights, const torch::Tensor& memory,
                     const torch::Tensor& key_bias, const torch::Tensor& target,
                     const ForwardOptions& options);

// What a language model remembers of a text so far.
using GenerationCache = std::vector<AttentionCache>;  // one a layer

GenerationCache empty_cache(const ModelWeights& weights);

// Logits (B, V) for the token after `tokens` (B, n), which follow those in `cache`. The same as
// forward() over the whole text, without computing its beginning again.
torch::Tensor next_logits(const ModelWeights& weights, const torch::Tensor& tokens,
                          GenerationCache& cache, double layer_norm_eps);

}  // namespace headroom
