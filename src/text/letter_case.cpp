#include "text/letter_case.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "text/unicode/unicode.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace {

bool is_in_word(char32_t c) {
  return kind_of(c) == CharacterKind::letter || is_number(c) || is_any_mark(c);
}

LetterCase case_of(std::span<const char32_t> word) {
  size_t upper = 0;
  size_t lower = 0;
  for (const char32_t c : word) {
    if (is_number(c)) return LetterCase::digits;
    if (lower_case_of(c) != c) {
      ++upper;
    } else if (kind_of(c) == CharacterKind::letter) {
      ++lower;
    }
  }
  if (upper == 0) return LetterCase::lower;
  if (upper == 1 && lower_case_of(word[0]) != word[0]) return LetterCase::capitalised;
  return lower == 0 ? LetterCase::upper : LetterCase::mixed;
}

// The case of each character's word; nothing where it is in none.
std::vector<std::optional<LetterCase>> character_cases(std::string_view text) {
  std::vector<char32_t> characters;
  for (size_t i = 0; i < text.size();) {
    const CodePoint next = decode_utf8(text.substr(i));
    characters.push_back(next.value);
    i += static_cast<size_t>(next.bytes);
  }
  std::vector<std::optional<LetterCase>> cases(characters.size());
  for (size_t begin = 0; begin < characters.size();) {
    size_t end = begin;
    while (end < characters.size() && is_in_word(characters[end])) ++end;
    if (end > begin) {
      const LetterCase found = case_of(std::span(characters).subspan(begin, end - begin));
      std::fill(cases.begin() + static_cast<std::ptrdiff_t>(begin),
                cases.begin() + static_cast<std::ptrdiff_t>(end), found);
    }
    begin = end + 1;
  }
  return cases;
}

}  // namespace

void set_letter_cases(std::string_view text, std::span<const TextSpan> spans,
                      std::span<int32_t> types) {
  const std::vector<std::optional<LetterCase>> cases = character_cases(text);
  for (size_t i = 0; i < spans.size(); ++i) {
    types[i] = 0;
    const size_t end = std::min<size_t>(spans[i].end, cases.size());
    for (size_t at = spans[i].begin; at < end; ++at) {
      if (!cases[at]) continue;
      types[i] = static_cast<int32_t>(*cases[at]);
      break;
    }
  }
}

}  // namespace headroom
