// Text to words the way BERT sees it: Hugging Face's BertNormalizer followed by BertPreTokenizer,
// word for word. In this order:
//   1. U+0000, U+FFFD and control characters vanish; any white space becomes a space;
//   2. CJK ideographs get a space on either side;
//   3. when lower-casing: canonical decomposition (NFD), nonspacing marks (Mn) vanish, lower case;
//   4. words are split at spaces, and each punctuation character is a word of its own.
// Two facts that their comments do not tell. "Control" is Cc, Cf and Co: the tables behind it
// have no unassigned characters, so these stay. And ASCII symbols such as $ + < count as
// punctuation, but no other symbol does: an emoji sticks to the letters beside it.
//
// We differ in one thing: their tables are of 2016, ours are utf8proc's (Unicode 15 in Debian 12).
// Marks, punctuation and format characters younger than that are kept inside words there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

// What the steps above ask of a character.
bool is_bert_control(char32_t c);  // vanishes
bool is_bert_space(char32_t c);
bool is_cjk_ideograph(char32_t c);
bool is_nonspacing_mark(char32_t c);
bool is_bert_punctuation(char32_t c);

// True for a character that is always a word of its own: punctuation and CJK ideographs.
bool stands_alone_for_bert(char32_t character);

// Walks over the words of a text. One scanner serves many texts and allocates only when a word is
// longer than any before it.
//   scanner.reset(text);
//   while (scanner.next()) use(scanner.word());
class BertWordScanner {
 public:
  explicit BertWordScanner(bool lower_case = true) : lower_case_(lower_case) {}

  // `text` must outlive the walk.
  void reset(std::string_view text);

  // Moves to the next word; false at the end. Throws ErrorCode::bad_data at a byte that is not
  // UTF-8.
  bool next();

  std::string_view word() const { return word_; }  // valid until the next call of next()

 private:
  void take_ascii_run();
  bool scan();
  bool step();
  void append_in_order(char32_t character);
  void sort_marks();

  std::string_view text_;
  size_t position_ = 0;
  std::string word_;
  size_t marks_from_ = 0;  // where the combining marks at the end of word_ begin
  bool lower_case_;
};

// The plain version that the scanner is tested against: one pass over the whole text for each of
// the steps above. Throws ErrorCode::bad_data when the text is not UTF-8.
std::vector<std::string> split_bert_words(std::string_view text, bool lower_case = true);

}  // namespace headroom
