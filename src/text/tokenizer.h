// Text to token ids, with the special tokens that the model's family expects around them. A
// tokenizer says how a text becomes pieces; framing and truncating them is done here, once for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/framing.h"
#include "text/vocabulary.h"

namespace headroom {

struct EncodedPair {
  std::vector<int32_t> ids;
  // As long as ids, 0 up to the first [SEP] and 1 after it; none where the framing has no types.
  std::vector<int32_t> types;
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // [CLS] text [SEP] in BERT's framing, truncated to `max_tokens` ids; the special tokens, which
  // must fit, stay. Throws ErrorCode::bad_data when the text is not UTF-8.
  std::vector<int32_t> encode(std::string_view text, int max_tokens) const;

  // [CLS] first [SEP] second [SEP], truncated likewise: the longer text loses its end first;
  // between equals the second.
  EncodedPair encode_pair(std::string_view first, std::string_view second, int max_tokens) const;

  // The tokens of `text` alone, all of them. Throws ErrorCode::bad_data when it is not UTF-8.
  std::vector<int32_t> pieces(std::string_view text) const;

  // The text that tokens make: words with spaces between them, pieces that go on inside a word
  // ("##ing") without; special tokens but [UNK] are left out.
  virtual std::string join(std::span<const int32_t> ids) const;

  virtual const Vocabulary& vocabulary() const = 0;

  void set_framing(Framing framing) { framing_ = std::move(framing); }

 protected:
  explicit Tokenizer(const Vocabulary& vocabulary) : framing_(vocabulary) {}
  Tokenizer(const Tokenizer&) = default;
  Tokenizer& operator=(const Tokenizer&) = default;

  // Appends the ids of the first `limit` pieces of `text`, which is valid UTF-8.
  virtual void append_pieces(std::string_view text, size_t limit,
                             std::vector<int32_t>& ids) const = 0;

 private:
  Framing framing_;  // BERT's, unless the family has another
};

}  // namespace headroom
