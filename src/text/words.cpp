#include "text/words.h"

#include <array>

#include "text/unicode/unicode.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace {

enum class CharacterClass : unsigned char { separator, word, symbol };

// Nearly all text is ASCII: one table look-up instead of a walk through Unicode's tables.
struct AsciiEntry {
  CharacterClass kind = CharacterClass::separator;
  char lower = 0;
};

constexpr std::array<AsciiEntry, 128> make_ascii_table() {
  std::array<AsciiEntry, 128> table{};
  for (int i = 0; i < 128; ++i) {
    const char c = static_cast<char>(i);
    const bool upper = c >= 'A' && c <= 'Z';
    const bool alphanumeric = upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    AsciiEntry& entry = table[static_cast<size_t>(i)];
    entry.lower = upper ? static_cast<char>(c - 'A' + 'a') : c;
    if (alphanumeric) entry.kind = CharacterClass::word;
    if (!alphanumeric && c > ' ' && c < 0x7F) entry.kind = CharacterClass::symbol;
  }
  return table;
}

constexpr std::array<AsciiEntry, 128> ascii_table = make_ascii_table();

CharacterClass classify(char32_t value) {
  switch (kind_of(value)) {
    case CharacterKind::letter:
    case CharacterKind::number:
    case CharacterKind::other_number:
    case CharacterKind::nonspacing_mark:
    case CharacterKind::spacing_mark:
      return CharacterClass::word;
    case CharacterKind::separator:
    case CharacterKind::control:
    case CharacterKind::format:
      return CharacterClass::separator;
    default:
      return CharacterClass::symbol;
  }
}

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

}  // namespace

void WordScanner::reset(std::string_view text) {
  text_ = text;
  position_ = 0;
  word_.clear();
}

void WordScanner::take_ascii_run() {
  while (position_ < text_.size() && is_ascii(text_[position_])) {
    const AsciiEntry entry = ascii_table[static_cast<unsigned char>(text_[position_])];
    if (entry.kind != CharacterClass::word) return;
    word_.push_back(entry.lower);
    ++position_;
  }
}

// Handles the character at position_, whatever its script; true when it ended or made a word.
bool WordScanner::step() {
  const CodePoint point = require_code_point(text_, position_, "split text into words");
  const CharacterClass kind =
      point.bytes == 1 ? ascii_table[point.value].kind : classify(point.value);
  if (kind != CharacterClass::word && !word_.empty()) return true;  // looked at again next time
  position_ += static_cast<size_t>(point.bytes);
  if (kind == CharacterClass::separator) return false;
  append_utf8(word_, lower_case_of(point.value));
  return kind == CharacterClass::symbol;
}

bool WordScanner::next() {
  word_.clear();
  begin_ = position_;
  while (position_ < text_.size()) {
    take_ascii_run();
    if (position_ < text_.size() && step()) return true;
    if (word_.empty()) begin_ = position_;
  }
  return !word_.empty();
}

TextSpan WordScanner::span() const {
  return {static_cast<uint32_t>(begin_), static_cast<uint32_t>(position_)};
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  WordScanner scanner;
  scanner.reset(text);
  while (scanner.next()) words.emplace_back(scanner.word());
  return words;
}

}  // namespace headroom
