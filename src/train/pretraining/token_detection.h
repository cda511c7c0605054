// What replaced-token detection (train/pretraining/replaced_tokens.h) trains beside the encoder and
// leaves behind: the generator of replacements, and the head that says which tokens are some.
#pragma once

#include <functional>
#include <string>

#include "model/weights.h"
#include "train/pretraining/binary_head.h"

namespace headroom {
inline namespace train {

struct TokenDetection {
  ModelWeights
      generator;    // a masked language model; tables and their norm undefined: the encoder's
  BinaryHead head;  // whether a token was replaced
};

// Calls `visit` for every tensor that is not the encoder's.
void for_each_tensor(TokenDetection& detection,
                     const std::function<void(const std::string&, torch::Tensor&)>& visit);

// `generator` without what it shares, and with that of `encoder`.
ModelWeights without_tables(ModelWeights generator);
ModelWeights with_tables(ModelWeights generator, const ModelWeights& encoder);

}  // namespace train
}  // namespace headroom
