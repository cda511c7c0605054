#include "text/unicode/unicode.h"

#ifdef HEADROOM_UTF8PROC
#include <fmt/format.h>
#include <utf8proc.h>

#include "base/error.h"

namespace headroom {
namespace {

const utf8proc_property_t& property(char32_t c) {
  return *utf8proc_get_property(static_cast<utf8proc_int32_t>(c));
}

}  // namespace

CharacterKind kind_of(char32_t c) {
  switch (property(c).category) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return CharacterKind::letter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
      return CharacterKind::number;
    case UTF8PROC_CATEGORY_NO:
      return CharacterKind::other_number;
    case UTF8PROC_CATEGORY_MN:
      return CharacterKind::nonspacing_mark;
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
      return CharacterKind::spacing_mark;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
      return CharacterKind::punctuation;
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO:
      return CharacterKind::symbol;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return CharacterKind::separator;
    case UTF8PROC_CATEGORY_CC:
      return CharacterKind::control;
    case UTF8PROC_CATEGORY_CF:
      return CharacterKind::format;
    case UTF8PROC_CATEGORY_CO:
      return CharacterKind::private_use;
    default:
      return CharacterKind::other;
  }
}

char32_t lower_case_of(char32_t c) {
  return static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
}

int combining_class_of(char32_t c) {
  return property(c).combining_class;
}

Decomposed decomposition_of(char32_t c) {
  std::array<utf8proc_int32_t, 4> parts{};
  int boundary = 0;
  const auto count = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c), parts.data(),
                                             static_cast<utf8proc_ssize_t>(parts.size()),
                                             UTF8PROC_DECOMPOSE, &boundary);
  if (count < 0 || static_cast<size_t>(count) > parts.size()) {
    throw Error(ErrorCode::runtime, "split text into words",
                fmt::format("utf8proc cannot decompose U+{:04X}", static_cast<uint32_t>(c)));
  }
  Decomposed result;
  result.count = static_cast<size_t>(count);
  for (size_t i = 0; i < result.count; ++i) {
    result.characters[i] = static_cast<char32_t>(parts[i]);
  }
  return result;
}

}  // namespace headroom
#else
#include "text/unicode/tables.h"

namespace headroom {

CharacterKind kind_of(char32_t c) {
  return tabled_kind_of(c);
}

char32_t lower_case_of(char32_t c) {
  return tabled_lower_case_of(c);
}

int combining_class_of(char32_t c) {
  return tabled_combining_class_of(c);
}

Decomposed decomposition_of(char32_t c) {
  return tabled_decomposition_of(c);
}

}  // namespace headroom
#endif

namespace headroom {

bool is_blank(char32_t c) {
  const CharacterKind kind = kind_of(c);
  return kind == CharacterKind::separator || kind == CharacterKind::control;
}

bool is_number(char32_t c) {
  const CharacterKind kind = kind_of(c);
  return kind == CharacterKind::number || kind == CharacterKind::other_number;
}

bool is_any_mark(char32_t c) {
  const CharacterKind kind = kind_of(c);
  return kind == CharacterKind::nonspacing_mark || kind == CharacterKind::spacing_mark;
}

bool is_white_space(char32_t c) {
  if (c < 0x80) return c == ' ' || (c >= '\t' && c <= '\r');
  return c == 0x85 || kind_of(c) == CharacterKind::separator;
}

bool is_word_character(char32_t c) {
  switch (kind_of(c)) {
    case CharacterKind::letter:
    case CharacterKind::number:
    case CharacterKind::nonspacing_mark:
    case CharacterKind::spacing_mark:
      return true;
    case CharacterKind::punctuation:  // connectors
      return c == '_' || c == 0x203F || c == 0x2040 || c == 0x2054 || c == 0xFE33 || c == 0xFE34 ||
             (c >= 0xFE4D && c <= 0xFE4F) || c == 0xFF3F;
    case CharacterKind::symbol:  // letters in circles and squares are alphabetic
      return (c >= 0x24B6 && c <= 0x24E9) || (c >= 0x1F130 && c <= 0x1F149) ||
             (c >= 0x1F150 && c <= 0x1F169) || (c >= 0x1F170 && c <= 0x1F189);
    default:
      return c == 0x200C || c == 0x200D;  // join controls
  }
}

}  // namespace headroom
