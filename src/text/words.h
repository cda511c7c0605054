// Text to words, for word-level vocabularies. A word is a maximal run of letters, marks and
// numbers (Unicode categories L, M, N), lower-cased; spaces, separators, control and invisible
// format characters only separate; every other character (punctuation, symbols, the underscore) is
// a word of its own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/text_span.h"

namespace headroom {

// Walks over the words of a text. One scanner serves many texts and allocates only when a word is
// longer than any before it.
//   scanner.reset(text);
//   while (scanner.next()) use(scanner.word());
class WordScanner {
 public:
  // `text` must outlive the walk.
  void reset(std::string_view text);

  // Moves to the next word; false at the end. Throws ErrorCode::bad_data at a byte that is not
  // UTF-8.
  bool next();

  std::string_view word() const { return word_; }  // valid until the next call of next()
  TextSpan span() const;                           // the bytes of the text that it comes from

 private:
  void take_ascii_run();
  bool step();

  std::string_view text_;
  size_t position_ = 0;
  size_t begin_ = 0;  // of the word
  std::string word_;
};

std::vector<std::string> split_words(std::string_view text);

}  // namespace headroom
