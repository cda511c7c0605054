// Makes a WordPiece vocabulary from plain text. Google never published the trainer of BERT's
// vocabulary; what is known of it (Schuster and Nakajima 2012) chooses the merge that raises the
// likelihood of the text most, count(ab) / (count(a) count(b)). This one chooses the most frequent
// pair, byte-pair encoding (Sennrich et al. 2016, 1508.07909, section 3.2) with pieces written the
// WordPiece way, as Hugging Face's trainer does. The tokenizer then takes the longest piece that
// fits, not the order of the merges, so that a few pieces may never be used.
//
// All words are cut into characters; the most frequent pair of neighbours becomes a piece, in all
// words at once; and again. Counts are kept up to date, never made anew: a merge touches only the
// words that hold its pair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "text/vocabulary.h"
#include "text/wordpiece/bert_normalizer.h"

namespace headroom {

class WordPieceTrainer {
 public:
  // The rarest characters of a text are noise, and a vocabulary would fill up with them: BERT's
  // has 997.
  static constexpr size_t max_alphabet = 1000;

  explicit WordPieceTrainer(bool lower_case = true) : scanner_(lower_case) {}

  // Counts the words of a text. Throws ErrorCode::bad_data when it is not UTF-8. Words so long
  // that the tokenizer would make them [UNK] are left out.
  void add(std::string_view text);

  // At most `size` tokens: the special ones; the characters seen at least `min_count` times, most
  // frequent first, each as the start of a word and as its continuation (but punctuation and CJK
  // ideographs, which are always words, without the latter); then merged pairs seen at least
  // `min_count` times, in the order in which they were chosen. Equal counts go in byte order, so
  // that the same texts in any order give the same vocabulary. Throws ErrorCode::usage when `size`
  // has no room for the characters.
  Vocabulary train(int32_t size, int64_t min_count = 2) const;

 private:
  StringMap<int64_t> counts_;
  BertWordScanner scanner_;
};

}  // namespace headroom
