// The tokenizer of a Hugging Face folder: vocab.txt or tokenizer.json, and the settings in
// tokenizer_config.json. What our tokenizer would do differently is refused by name.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/hf/folder.h"
#include "checkpoint/hf/tokenizer_json.h"

namespace headroom {

// Throws ErrorCode::bad_model when files are missing, contradict each other or `shape`, or ask for
// another tokenizer. Adds to `notes` what is not kept.
HfTokenizer read_hf_tokenizer(const HfFolder& folder, const ModelShape& shape,
                              std::vector<std::string>& notes);

// tokenizer_config.json for Transformers, which together with vocab.txt says the same.
std::string tokenizer_config_text(bool lower_case, const ModelShape& shape);

}  // namespace headroom
