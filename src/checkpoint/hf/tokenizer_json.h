// tokenizer.json, the file of Hugging Face's fast tokenizers: read when it describes exactly BERT's
// normaliser, WordPiece and special tokens, refused by name when it describes anything else.
#pragma once

#include <string>
#include <string_view>

#include "text/vocabulary.h"

namespace headroom {

struct HfTokenizer {
  Vocabulary vocabulary;
  bool lower_case = true;  // and strip accents
};

// Throws ErrorCode::bad_model.
HfTokenizer parse_tokenizer_json(std::string_view text);

}  // namespace headroom
