// tokenizer.json of BERT itself: its normaliser, WordPiece and special tokens, which have a
// tokenizer and a file (vocab.txt) of their own here. Anything else is refused by name, and read
// part by part instead (text/pipeline).
#pragma once

#include <string>
#include <string_view>

#include "text/vocabulary.h"

namespace headroom {

struct PlainBertTokenizer {
  Vocabulary vocabulary;
  bool lower_case = true;  // and strip accents
};

// Throws ErrorCode::bad_model.
PlainBertTokenizer parse_tokenizer_json(std::string_view text);

}  // namespace headroom
