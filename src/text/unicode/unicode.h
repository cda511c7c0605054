// What tokenizers ask of Unicode. utf8proc answers where it is there; our own tables, made from it,
// where it is not: a machine with little more than libtorch can train, and its words are the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace headroom {

// Unicode's general categories, as far as they are told apart here.
enum class CharacterKind : uint8_t {
  other,  // surrogates and what is not assigned
  letter,
  number,
  nonspacing_mark,
  spacing_mark,  // and enclosing ones
  punctuation,
  symbol,
  separator,  // spaces, and the ends of lines and paragraphs that are no control characters
  control,
  format,
  private_use,
  other_number,  // fractions, superscripts, circled ones: neither digits nor letters
};

// The canonical decomposition of one character: four at most, in Unicode 15 and before.
struct Decomposed {
  std::array<char32_t, 4> characters{};
  size_t count = 0;
};

CharacterKind kind_of(char32_t c);
bool is_blank(char32_t c);  // nothing to be seen: a separator or a control character
char32_t lower_case_of(char32_t c);
int combining_class_of(char32_t c);  // 0: marks do not move over it
Decomposed decomposition_of(char32_t c);

// The rest is answered from our own tables everywhere.

bool is_number(char32_t c);          // of any kind
bool is_any_mark(char32_t c);        // of any kind
bool is_white_space(char32_t c);     // Unicode's White_Space, regular expressions' \s
bool is_word_character(char32_t c);  // \w: letters, marks, digits and connectors such as _

// Appends the full compatibility decomposition, marks not yet in order.
void append_compatible(char32_t c, std::u32string& out);

// The character that is canonically equivalent to the two; 0: there is none.
char32_t composition_of(char32_t first, char32_t second);

// Where a grapheme cluster goes on, as far as the kinds are told apart here.
enum class GraphemeBreak : uint8_t { other, cr, lf, control, extend, spacing_mark, prepend };
GraphemeBreak grapheme_break_of(char32_t c);

}  // namespace headroom
