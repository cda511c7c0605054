// The tokenizer of a Hugging Face folder: tokenizer.json, or the older vocab.txt, and the settings
// in tokenizer_config.json. What our tokenizers would do differently is refused by name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "checkpoint/hf/folder.h"
#include "checkpoint/hf/tokenizer_json.h"
#include "text/pipeline/read_tokenizer.h"

namespace headroom {

// BERT's own form is kept as vocab.txt, every other as the files it came in.
struct HfTokenizer {
  TokenizerKind kind = TokenizerKind::wordpiece;
  bool lower_case = true;                  // wordpiece
  std::string vocabulary = {};             // wordpiece: vocab.txt
  TokenizerFiles files = {};               // pipeline
  std::optional<int64_t> max_tokens = {};  // where the folder says so
};

// Throws ErrorCode::bad_model when files are missing, contradict each other or `shape`, or ask for
// a tokenizer that is not known here.
HfTokenizer read_hf_tokenizer(const HfFolder& folder, const ModelShape& shape);

// The tokenizer alone, of a folder whose network may be anything.
std::unique_ptr<Tokenizer> open_hf_tokenizer(const HfFolder& folder);

// tokenizer_config.json for Transformers, which together with vocab.txt says the same.
std::string tokenizer_config_text(bool lower_case, const ModelShape& shape);

}  // namespace headroom
