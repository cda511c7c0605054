// config.json of a Hugging Face folder: what our engine computes is read, anything else is refused
// by name.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/config.h"

namespace headroom {

struct HfConfig {
  ModelConfig config;              // all but the tokenizer and, for an encoder, the pooler
  std::string architecture;        // as config.json says; empty when it says nothing
  std::vector<std::string> notes;  // what was there and is not kept
};

// Throws ErrorCode::bad_model. A null is what was not said, unless Transformers reads it otherwise.
HfConfig read_hf_config(const Json& json);

}  // namespace headroom
