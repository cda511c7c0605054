// Capitals, for models whose vocabulary has none: the letter case of words as token types, which a
// tagger embeds beside its lower-case pieces. Names are found by their capitals.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "text/text_span.h"

namespace headroom {

// Of a word: a run of letters, digits and marks. The values are token types, rows of the model's
// table.
enum class LetterCase : int32_t {
  lower,        // and what has no case: punctuation, special tokens
  capitalised,  // "Paris", "I"
  upper,        // "NATO"
  mixed,        // "McDonald", "eBay"
  digits,       // at least one: "1996", "A4"
};
inline constexpr int64_t letter_cases = 5;

// Sets the type of each token: the case of the first word that its span, of the text's characters,
// touches. `text` is valid UTF-8.
void set_letter_cases(std::string_view text, std::span<const TextSpan> spans,
                      std::span<int32_t> types);

}  // namespace headroom
