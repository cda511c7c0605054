// unicode.h answered from tables of our own (unicode_tables.inc, of Unicode 15). Where utf8proc is
// there, only a test asks them: for every character, whether they agree.
#pragma once

#include "text/unicode/unicode.h"

namespace headroom {

// Hangul syllables: not in the tables, their decomposition is computed.
inline constexpr char32_t first_syllable = 0xAC00;
inline constexpr char32_t syllables = 11172;

CharacterKind tabled_kind_of(char32_t c);
char32_t tabled_lower_case_of(char32_t c);
int tabled_combining_class_of(char32_t c);
Decomposed tabled_decomposition_of(char32_t c);

}  // namespace headroom
