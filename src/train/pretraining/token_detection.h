// What replaced-token detection (train/pretraining/replaced_tokens.h) trains beside the encoder and
// leaves behind: the generator of replacements, and the head that says which tokens are some.
#pragma once

#include <functional>
#include <string>

#include "model/weights.h"

namespace headroom {
inline namespace train {

struct TokenDetection {
  ModelWeights
      generator;  // a masked language model; tables and their norm undefined: the encoder's
  Linear dense;   // (D, D)
  Linear output;  // (1, D): the logit of "replaced"
};

// Calls `visit` for every tensor that is not the encoder's.
void for_each_tensor(TokenDetection& detection,
                     const std::function<void(const std::string&, torch::Tensor&)>& visit);

// `generator` without what it shares, and with that of `encoder`.
ModelWeights without_tables(ModelWeights generator);
ModelWeights with_tables(ModelWeights generator, const ModelWeights& encoder);

// The logits of "replaced", in fp32, for rows of the encoder's output: (..., D) to (...).
torch::Tensor detection_logits(const TokenDetection& detection, const torch::Tensor& rows);

}  // namespace train
}  // namespace headroom
