// Tokens that are found in a text as they are, before anything else happens to it: special ones
// such as <mask>, and what users added to a vocabulary. Those marked "normalized" are looked for in
// the normalised text, written as the normaliser writes them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "text/piece_trie.h"
#include "text/pipeline/normalizer.h"
#include "text/pipeline/pre_tokenizer.h"

namespace headroom {

struct AddedToken {
  std::string content;
  int32_t id = 0;
  bool single_word = false;  // only where no letter or digit touches it
  bool lstrip = false;       // takes the white space before it
  bool rstrip = false;
  bool normalized = false;
  bool special = false;
};

// One entry of tokenizer.json's added_tokens or of tokenizer_config.json's added_tokens_decoder.
AddedToken read_added_token(const Json& json, int32_t id);

// Finds tokens of one set: from the left, the longest first.
class AddedTokenSet {
 public:
  explicit AddedTokenSet(std::vector<AddedToken> tokens);  // contents as they are to be found

  bool empty() const { return tokens_.empty(); }

  struct Match {
    TextSpan bytes;
    int32_t id = 0;
  };
  // The first match at or behind `from`, with the white space that it takes.
  std::optional<Match> find(std::string_view text, size_t from) const;

  // Appends the tokens of `text` and the stretches between them that are not empty.
  void cut(const AlignedText& text, std::vector<TextPiece>& pieces) const;

 private:
  std::vector<AddedToken> tokens_;
  PieceTrie trie_;
  std::array<bool, 256> begins_{};  // whether a token begins with the byte
};

}  // namespace headroom
