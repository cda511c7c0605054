// Text to token ids, with the special tokens that every BERT-like encoder expects. A tokenizer
// says how a text becomes pieces; putting [CLS] and [SEP] around them and cutting to length is done
// here, once for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace headroom {

struct EncodedPair {
  std::vector<int32_t> ids;
  std::vector<int32_t> types;  // as long as ids: 0 up to the first [SEP], 1 after it
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // [CLS] text [SEP], cut to `max_tokens` (at least 2) ids; the final [SEP] stays. Throws
  // ErrorCode::bad_data when the text is not UTF-8.
  std::vector<int32_t> encode(std::string_view text, int max_tokens) const;

  // [CLS] first [SEP] second [SEP], cut to `max_tokens` (at least 3): the longer text loses its end
  // first; between equals the second.
  EncodedPair encode_pair(std::string_view first, std::string_view second, int max_tokens) const;

  // The tokens of `text` alone, all of them. Throws ErrorCode::bad_data when it is not UTF-8.
  std::vector<int32_t> pieces(std::string_view text) const;

  // The text that tokens make: words with spaces between them, pieces that go on inside a word
  // ("##ing") without; special tokens but [UNK] are left out.
  virtual std::string join(std::span<const int32_t> ids) const;

  virtual const Vocabulary& vocabulary() const = 0;

 protected:
  Tokenizer() = default;
  Tokenizer(const Tokenizer&) = default;
  Tokenizer& operator=(const Tokenizer&) = default;

  // Appends the ids of the first `limit` pieces of `text`, which is valid UTF-8.
  virtual void append_pieces(std::string_view text, size_t limit,
                             std::vector<int32_t>& ids) const = 0;
};

}  // namespace headroom
