#include "text/wordpiece_tokenizer.h"

#include <algorithm>
#include <utility>

#include "text/bert_normalizer.h"
#include "text/unicode/utf8.h"

namespace headroom {

WordPieceTokenizer::WordPieceTokenizer(Vocabulary vocabulary, bool lower_case)
    : Tokenizer(vocabulary),
      vocabulary_(std::move(vocabulary)),
      lower_case_(lower_case),
      trie_(vocabulary_.tokens()),
      inside_(trie_.descend(PieceTrie::root, "##")) {
  for (const std::string_view token :
       {pad_token, unknown_token, cls_token, sep_token, mask_token}) {
    const std::optional<int32_t> id = vocabulary_.find(token);
    if (id) special_.push_back({token, *id});
  }
}

// The offset of the first special token at or behind `from`, or the size of the text.
size_t WordPieceTokenizer::find_special(std::string_view text, size_t from,
                                        SpecialToken& found) const {
  for (size_t place = text.find('[', from); place < text.size();
       place = text.find('[', place + 1)) {
    for (const SpecialToken& token : special_) {
      if (!text.substr(place).starts_with(token.text)) continue;
      found = token;
      return place;
    }
  }
  return text.size();
}

void WordPieceTokenizer::append_pieces(std::string_view text, size_t limit,
                                       std::vector<int32_t>& ids) const {
  const size_t most = ids.size() + limit;
  BertWordScanner scanner(lower_case_);
  for (size_t position = 0; position < text.size() && ids.size() < most;) {
    SpecialToken special{};
    const size_t end = find_special(text, position, special);
    append_plain(text.substr(position, end - position), most, scanner, ids);
    if (end < text.size() && ids.size() < most) ids.push_back(special.id);
    position = end + special.text.size();
  }
}

// Appends until `ids` holds `most` in all. The last word is cut into all its pieces first: whether
// it is [UNK] shows only at its end.
void WordPieceTokenizer::append_plain(std::string_view text, size_t most, BertWordScanner& scanner,
                                      std::vector<int32_t>& ids) const {
  scanner.reset(text);
  while (ids.size() < most && scanner.next()) append_word(scanner.word(), ids);
  ids.resize(std::min(ids.size(), most));
}

void WordPieceTokenizer::append_word(std::string_view word, std::vector<int32_t>& ids) const {
  const size_t before = ids.size();
  const bool too_long =
      word.size() > max_word_characters && count_characters(word) > max_word_characters;
  PieceTrie::Node from = too_long ? PieceTrie::nowhere : PieceTrie::root;
  while (!word.empty()) {
    const PieceTrie::Match piece = trie_.longest(from, word);
    if (piece.bytes == 0) {
      ids.resize(before);
      ids.push_back(vocabulary_.unknown_id());
      return;
    }
    ids.push_back(piece.id);
    word.remove_prefix(piece.bytes);
    from = inside_;
  }
}

}  // namespace headroom
