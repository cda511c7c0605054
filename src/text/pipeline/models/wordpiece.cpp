// WordPiece: each time the longest token that fits; inside a word they begin with a prefix. A word
// that cannot be cut all the way, or is too long, is unknown as a whole.
#include "text/piece_trie.h"
#include "text/pipeline/token_model.h"

namespace headroom {
namespace {

class WordPiece : public TokenModel {
 public:
  WordPiece(const JsonFields& fields, const ModelJson& json)
      : TokenModel(TokenTable(json.vocabulary)),
        unknown_(table().require(fields.text_or("unk_token", "[UNK]"), "unk_token")),
        most_characters_(static_cast<size_t>(
            fields.integer_or("max_input_chars_per_word", 100, 1, 1'000'000'000))),
        trie_(table().tokens()),
        inside_(trie_.descend(PieceTrie::root, fields.text_or("continuing_subword_prefix", "##"))) {
  }

  void cut(std::string_view word, std::vector<WordToken>& tokens) const override {
    const size_t before = tokens.size();
    const auto size = static_cast<uint32_t>(word.size());
    const bool too_long =
        word.size() > most_characters_ && count_characters(word) > most_characters_;
    PieceTrie::Node from = too_long ? PieceTrie::nowhere : PieceTrie::root;
    for (uint32_t begin = 0; begin < size;) {
      const PieceTrie::Match piece = trie_.longest(from, word.substr(begin));
      if (piece.bytes == 0) {
        tokens.resize(before);
        tokens.push_back({unknown_, {0, size}});
        return;
      }
      const uint32_t end = begin + static_cast<uint32_t>(piece.bytes);
      tokens.push_back({piece.id, {begin, end}});
      begin = end;
      from = inside_;
    }
  }
  std::optional<int32_t> unknown() const override { return unknown_; }

 private:
  int32_t unknown_;
  size_t most_characters_;
  PieceTrie trie_;
  PieceTrie::Node inside_;
};

}  // namespace

std::unique_ptr<TokenModel> make_wordpiece(const JsonFields& fields, const ModelJson& json) {
  return std::make_unique<WordPiece>(fields, json);
}

}  // namespace headroom
