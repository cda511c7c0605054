#include "text/wordpiece/wordpiece_tokenizer.h"

#include <algorithm>
#include <utility>

#include "text/unicode/utf8.h"
#include "text/wordpiece/bert_normalizer.h"

namespace headroom {

WordPieceTokenizer::WordPieceTokenizer(Vocabulary vocabulary, bool lower_case)
    : Tokenizer(vocabulary),
      vocabulary_(std::move(vocabulary)),
      lower_case_(lower_case),
      trie_(vocabulary_.tokens()),
      inside_(trie_.descend(PieceTrie::root, "##")),
      plain_normalizer_(make_normalizer({{"type", "BertNormalizer"}, {"lowercase", lower_case}})),
      plain_words_(make_pre_tokenizer({{"type", "BertPreTokenizer"}})) {
  for (const std::string_view token :
       {pad_token, unknown_token, cls_token, sep_token, mask_token}) {
    const std::optional<int32_t> id = vocabulary_.find(token);
    if (id) special_.push_back({token, *id});
  }
  set_truncation({.odd_to_longer = true});  // with a tokenizer.json or without: as BERT's
}

// The offset of the first special token at or behind `from`, or the size of the text.
size_t WordPieceTokenizer::find_special(std::string_view text, size_t from,
                                        SpecialToken& found) const {
  for (size_t at = text.find('[', from); at < text.size(); at = text.find('[', at + 1)) {
    for (const SpecialToken& token : special_) {
      if (!text.substr(at).starts_with(token.text)) continue;
      found = token;
      return at;
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

void WordPieceTokenizer::append_with_spans(std::string_view text, size_t limit,
                                           std::vector<int32_t>& ids,
                                           std::vector<TextSpan>& spans) const {
  const AlignedText all(text, true);
  for (size_t position = 0; position < text.size() && ids.size() < limit;) {
    SpecialToken special{};
    const size_t end = find_special(text, position, special);
    append_aligned(all.slice(position, end), ids, spans);
    position = end + special.text.size();
    if (end == text.size()) break;
    ids.push_back(special.id);
    spans.push_back({static_cast<uint32_t>(end), static_cast<uint32_t>(position)});
  }
  ids.resize(std::min(ids.size(), limit));
  spans.resize(ids.size());
}

void WordPieceTokenizer::append_aligned(AlignedText text, std::vector<int32_t>& ids,
                                        std::vector<TextSpan>& spans) const {
  plain_normalizer_->apply(text);
  std::vector<AlignedText> words;
  plain_words_->cut(std::move(text), words);
  for (const AlignedText& word : words) {
    append_word(word.text(), ids);
    for (size_t begin = 0; spans.size() < ids.size();) {
      const std::string& token = vocabulary_.token(ids[spans.size()]);
      const bool whole = begin == 0 && spans.size() + 1 == ids.size();  // perhaps [UNK]
      const size_t bytes = begin == 0 ? token.size() : token.size() - 2;
      const size_t end = whole ? word.size() : begin + bytes;
      spans.push_back(word.origin(begin, end));
      begin = end;
    }
  }
}

}  // namespace headroom
