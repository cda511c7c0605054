// The second step of a tokenizer read from tokenizer.json: cuts a normalised text into words, which
// the model then cuts into tokens one by one. Each kind is a file of pre_tokenizers/ and a line in
// pre_tokenizer.cpp's table.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/json.h"
#include "text/pipeline/aligned_text.h"

namespace headroom {

// A stretch of text, or a token that was found in it as a whole.
struct TextPiece {
  AlignedText text;
  std::optional<int32_t> token = std::nullopt;
};

class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  // Appends the words of `text` that are not empty.
  virtual void cut(AlignedText text, std::vector<AlignedText>& words) const = 0;
  // Whether it asks where a word began in the original text.
  virtual bool needs_alignment() const { return false; }
};

// From tokenizer.json's "pre_tokenizer" or a part of it. Throws ErrorCode::bad_model for what is
// not known here.
std::unique_ptr<PreTokenizer> make_pre_tokenizer(const Json& json);

}  // namespace headroom
