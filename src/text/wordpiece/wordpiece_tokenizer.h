// BERT's tokenizer: words (text/bert_normalizer.h) are cut into pieces, each time the longest one
// that the vocabulary holds; pieces inside a word are written with "##" in front. A word that
// cannot be cut all the way, or has more than 100 characters, becomes [UNK] as a whole.
//
// A special token spelled out in a text ("[SEP]", in capitals, anywhere) becomes that token, as
// Hugging Face's tokenizers do by default and as their expected ids for such texts demand. So a
// text can end itself early or pass for a pair. Whoever takes texts from people who gain by that
// has to take the brackets out first.
#pragma once

#include <memory>

#include "text/piece_trie.h"
#include "text/pipeline/normalizer.h"
#include "text/pipeline/pre_tokenizer.h"
#include "text/tokenizer.h"

namespace headroom {

class BertWordScanner;

class WordPieceTokenizer : public Tokenizer {
 public:
  static constexpr size_t max_word_characters = 100;

  // `lower_case` says what the vocabulary was made for: lower case without accents, or as written.
  explicit WordPieceTokenizer(Vocabulary vocabulary, bool lower_case = true);

  const Vocabulary& vocabulary() const override { return vocabulary_; }
  bool lower_case() const { return lower_case_; }

 protected:
  void append_pieces(std::string_view text, size_t limit, std::vector<int32_t>& ids) const override;
  void append_with_spans(std::string_view text, size_t limit, std::vector<int32_t>& ids,
                         std::vector<TextSpan>& spans) const override;

 private:
  struct SpecialToken {
    std::string_view text;
    int32_t id;
  };

  size_t find_special(std::string_view text, size_t from, SpecialToken& found) const;
  void append_plain(std::string_view text, size_t most, BertWordScanner& scanner,
                    std::vector<int32_t>& ids) const;
  void append_word(std::string_view word, std::vector<int32_t>& ids) const;
  void append_aligned(AlignedText text, std::vector<int32_t>& ids,
                      std::vector<TextSpan>& spans) const;

  Vocabulary vocabulary_;
  bool lower_case_;
  std::vector<SpecialToken> special_;
  PieceTrie trie_;
  PieceTrie::Node inside_;  // where the pieces that go on inside a word begin: behind "##"
  // The same words in plain steps, which keep track of where they come from.
  std::shared_ptr<const Normalizer> plain_normalizer_;
  std::shared_ptr<const PreTokenizer> plain_words_;
};

}  // namespace headroom
