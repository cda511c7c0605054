#include "text/unicode/tables.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace headroom {
namespace {

// From `first` to the next one's.
struct KindRange {
  char32_t first;
  uint8_t kind;  // the number of a CharacterKind
};

// Every `step`-th character of [first, last] lies `distance` below its lower case.
struct CaseRange {
  char32_t first;
  char32_t last;
  uint32_t step;
  int32_t distance;
};

struct CombiningRange {
  char32_t first;
  char32_t last;
  int combining_class;
};

struct Decomposition {
  char32_t character;
  char32_t parts[4];  // zeros after the last
};

struct Compatibility {
  char32_t character;
  uint16_t from;  // in compatible_characters
  uint16_t count;
};

struct Composition {
  char32_t first;
  char32_t second;
  char32_t composed;
};

// From `first` to the next one's.
struct BreakRange {
  char32_t first;
  uint8_t kind;  // the number of a GraphemeBreak
};

#include "text/unicode/tables.inc"

// The last entry that begins at or before `c`; null before the first.
template <typename Entry, size_t count>
const Entry* entry_before(const Entry (&entries)[count], char32_t c, char32_t Entry::*first) {
  const Entry* after = std::upper_bound(
      std::begin(entries), std::end(entries), c,
      [first](char32_t value, const Entry& entry) { return value < entry.*first; });
  return after == std::begin(entries) ? nullptr : after - 1;
}

constexpr char32_t finals = 28;  // none among them
constexpr char32_t vowels = 21;

// As the standard says (section 3.12).
Decomposed decomposed_syllable(char32_t c) {
  const char32_t index = c - first_syllable;
  Decomposed result;
  result.characters = {0x1100 + index / (vowels * finals),
                       0x1161 + index % (vowels * finals) / finals, 0x11A7 + index % finals};
  result.count = index % finals == 0 ? 2 : 3;
  if (result.count == 2) result.characters[2] = 0;
  return result;
}

}  // namespace

CharacterKind tabled_kind_of(char32_t c) {
  return static_cast<CharacterKind>(entry_before(kind_ranges, c, &KindRange::first)->kind);
}

char32_t tabled_lower_case_of(char32_t c) {
  const CaseRange* range = entry_before(case_ranges, c, &CaseRange::first);
  if (range == nullptr || c > range->last || (c - range->first) % range->step != 0) return c;
  return static_cast<char32_t>(static_cast<int32_t>(c) + range->distance);
}

int tabled_combining_class_of(char32_t c) {
  const CombiningRange* range = entry_before(combining_ranges, c, &CombiningRange::first);
  return range == nullptr || c > range->last ? 0 : range->combining_class;
}

Decomposed tabled_decomposition_of(char32_t c) {
  if (c >= first_syllable && c < first_syllable + syllables) return decomposed_syllable(c);
  Decomposed result = {{c}, 1};
  const Decomposition* entry = entry_before(decompositions, c, &Decomposition::character);
  if (entry == nullptr || entry->character != c) return result;
  std::copy(std::begin(entry->parts), std::end(entry->parts), result.characters.begin());
  result.count =
      static_cast<size_t>(std::find(result.characters.begin(), result.characters.end(), U'\0') -
                          result.characters.begin());
  return result;
}

void append_compatible(char32_t c, std::u32string& out) {
  const Compatibility* entry = entry_before(compatibilities, c, &Compatibility::character);
  if (entry != nullptr && entry->character == c) {
    out.append(compatible_characters + entry->from, entry->count);
    return;
  }
  const Decomposed parts = tabled_decomposition_of(c);
  out.append(parts.characters.data(), parts.count);
}

char32_t composition_of(char32_t first, char32_t second) {
  constexpr char32_t leads = 19;
  if (first - 0x1100 < leads && second - 0x1161 < vowels) {
    return first_syllable + ((first - 0x1100) * vowels + (second - 0x1161)) * finals;
  }
  if (first - first_syllable < syllables && (first - first_syllable) % finals == 0 &&
      second > 0x11A7 && second < 0x11A7 + finals) {
    return first + (second - 0x11A7);
  }
  const auto* found =
      std::lower_bound(std::begin(compositions), std::end(compositions), std::pair(first, second),
                       [](const Composition& entry, const std::pair<char32_t, char32_t>& wanted) {
                         return std::pair(entry.first, entry.second) < wanted;
                       });
  const bool fits =
      found != std::end(compositions) && found->first == first && found->second == second;
  return fits ? found->composed : 0;
}

GraphemeBreak grapheme_break_of(char32_t c) {
  return static_cast<GraphemeBreak>(entry_before(break_ranges, c, &BreakRange::first)->kind);
}

}  // namespace headroom
