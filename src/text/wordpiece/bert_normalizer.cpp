#include "text/wordpiece/bert_normalizer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "text/unicode/unicode.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace {

enum class CharacterClass : unsigned char { letter, space, alone, dropped, not_ascii };

constexpr bool is_ascii_punctuation(char32_t c) {
  return (c >= 33 && c <= 47) || (c >= 58 && c <= 64) || (c >= 91 && c <= 96) ||
         (c >= 123 && c <= 126);
}

constexpr CharacterClass classify_byte(unsigned char byte) {
  if (byte >= 0x80) return CharacterClass::not_ascii;
  if (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r') return CharacterClass::space;
  if (byte < 0x20 || byte == 0x7F) return CharacterClass::dropped;
  return is_ascii_punctuation(byte) ? CharacterClass::alone : CharacterClass::letter;
}

// Nearly all text is ASCII: one look-up instead of a walk through Unicode's tables.
constexpr std::array<CharacterClass, 256> make_byte_classes() {
  std::array<CharacterClass, 256> classes{};
  for (size_t i = 0; i < classes.size(); ++i) {
    classes[i] = classify_byte(static_cast<unsigned char>(i));
  }
  return classes;
}

constexpr std::array<CharacterClass, 256> byte_classes = make_byte_classes();

CharacterClass byte_class(char c) {
  return byte_classes[static_cast<unsigned char>(c)];
}

char ascii_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Calls `visit` with every character of valid UTF-8.
template <typename Visit>
void for_each_character(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text);
    visit(point.value);
    text.remove_prefix(static_cast<size_t>(point.bytes));
  }
}

bool combines_earlier(char32_t a, char32_t b) {
  return combining_class_of(a) < combining_class_of(b);
}

// NFD: everything decomposed, and marks on the same character in the order of their classes.
std::string decompose_all(std::string_view text) {
  std::u32string characters;
  for_each_character(text, [&](char32_t c) {
    const Decomposed parts = decomposition_of(c);
    characters.append(parts.characters.data(), parts.count);
  });
  const auto starts = [](char32_t c) { return combining_class_of(c) == 0; };
  for (auto next = characters.begin(); next != characters.end();) {
    const auto marks = std::find_if_not(next, characters.end(), starts);
    next = std::find_if(marks, characters.end(), starts);
    std::stable_sort(marks, next, combines_earlier);
  }
  std::string result;
  for (const char32_t c : characters) append_utf8(result, c);
  return result;
}

}  // namespace

bool is_bert_control(char32_t c) {
  if (c == '\t' || c == '\n' || c == '\r') return false;
  const CharacterKind kind = kind_of(c);
  return c == 0xFFFD || kind == CharacterKind::control || kind == CharacterKind::format ||
         kind == CharacterKind::private_use;
}

bool is_bert_space(char32_t c) {
  return c == '\t' || c == '\n' || c == '\r' || kind_of(c) == CharacterKind::separator;
}

// The blocks that Hugging Face lists. Extension E begins at U+2B820, they begin at U+2B920: kept,
// because their tokens are what a model was trained with.
bool is_cjk_ideograph(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B81F) ||
         (c >= 0x2B920 && c <= 0x2CEAF) || (c >= 0xF900 && c <= 0xFAFF) ||
         (c >= 0x2F800 && c <= 0x2FA1F);
}

bool is_nonspacing_mark(char32_t c) {
  return kind_of(c) == CharacterKind::nonspacing_mark;
}

bool is_bert_punctuation(char32_t c) {
  if (c < 0x80) return is_ascii_punctuation(c);
  return kind_of(c) == CharacterKind::punctuation;
}

bool stands_alone_for_bert(char32_t character) {
  return is_bert_punctuation(character) || is_cjk_ideograph(character);
}

void BertWordScanner::reset(std::string_view text) {
  text_ = text;
  position_ = 0;
  word_.clear();
}

void BertWordScanner::take_ascii_run() {
  const size_t start = position_;
  while (position_ < text_.size() && byte_class(text_[position_]) == CharacterClass::letter) {
    ++position_;
  }
  if (position_ == start) return;
  sort_marks();
  const size_t before = word_.size();
  word_.append(text_, start, position_ - start);
  if (lower_case_) {
    for (size_t i = before; i < word_.size(); ++i) word_[i] = ascii_lower(word_[i]);
  }
  marks_from_ = word_.size();
}

// Combining marks behind one letter are sorted by their class, as NFD demands. What remains after
// the nonspacing ones were dropped is hardly ever more than one: musical symbols are.
void BertWordScanner::append_in_order(char32_t character) {
  const bool starter = combining_class_of(character) == 0;
  if (starter) sort_marks();
  append_utf8(word_, character);
  if (starter) marks_from_ = word_.size();
}

// All at once: putting each in its place as it comes takes time with the square of their number,
// and a text may consist of nothing else.
void BertWordScanner::sort_marks() {
  if (!lower_case_ || marks_from_ == word_.size()) return;
  std::vector<char32_t> marks;
  for_each_character(std::string_view(word_).substr(marks_from_),
                     [&](char32_t mark) { marks.push_back(mark); });
  std::stable_sort(marks.begin(), marks.end(), combines_earlier);
  word_.resize(marks_from_);
  for (const char32_t mark : marks) append_utf8(word_, mark);
}

// Handles the character at position_, whatever its script; true when it ended or made a word.
bool BertWordScanner::step() {
  const CodePoint point = require_code_point(text_, position_, "split text into words");
  const auto consume = [&] { position_ += static_cast<size_t>(point.bytes); };
  if (is_bert_control(point.value)) {
    consume();
    return false;
  }
  if (is_bert_space(point.value)) {
    consume();
    return !word_.empty();
  }
  Decomposed parts = {{point.value}, 1};
  if (lower_case_) parts = decomposition_of(point.value);
  // A character that decomposes into punctuation and a mark, such as U+2260 (=, stroke), is
  // punctuation: no other kind of decomposition holds any.
  const bool alone = is_cjk_ideograph(point.value) || is_bert_punctuation(parts.characters[0]);
  if (alone && !word_.empty()) return true;  // looked at again next time
  consume();
  for (size_t i = 0; i < parts.count; ++i) {
    const char32_t part = parts.characters[i];
    if (!lower_case_) {
      append_utf8(word_, part);
    } else if (!is_nonspacing_mark(part)) {
      append_in_order(lower_case_of(part));
    } else if (combining_class_of(part) == 0) {
      sort_marks();
      marks_from_ = word_.size();  // marks do not move over it, though it is not kept itself
    }
  }
  return alone;
}

bool BertWordScanner::next() {
  word_.clear();
  marks_from_ = 0;
  const bool found = scan();
  sort_marks();
  return found;
}

bool BertWordScanner::scan() {
  while (position_ < text_.size()) {
    take_ascii_run();
    if (position_ == text_.size()) break;
    const char c = text_[position_];
    const CharacterClass kind = byte_class(c);
    if (kind == CharacterClass::not_ascii) {
      if (step()) return true;
      continue;
    }
    if (kind == CharacterClass::alone) {
      if (!word_.empty()) return true;  // looked at again next time
      word_.push_back(c);
    }
    ++position_;
    if (kind != CharacterClass::dropped && !word_.empty()) return true;
  }
  return !word_.empty();
}

std::vector<std::string> split_bert_words(std::string_view text, bool lower_case) {
  require_utf8(text, "split text into words", "");
  std::string clean;
  for_each_character(text, [&](char32_t c) {
    if (!is_bert_control(c)) append_utf8(clean, is_bert_space(c) ? U' ' : c);
  });
  std::string spaced;
  for_each_character(clean, [&](char32_t c) {
    if (is_cjk_ideograph(c)) spaced.push_back(' ');
    append_utf8(spaced, c);
    if (is_cjk_ideograph(c)) spaced.push_back(' ');
  });
  std::string normal = spaced;
  if (lower_case) {
    normal.clear();
    for_each_character(decompose_all(spaced), [&](char32_t c) {
      if (!is_nonspacing_mark(c)) append_utf8(normal, lower_case_of(c));
    });
  }
  std::vector<std::string> words;
  bool fresh = true;  // the next character begins a word
  for_each_character(normal, [&](char32_t c) {
    const bool alone = is_bert_punctuation(c);
    if (!is_bert_space(c)) {
      if (fresh || alone) words.emplace_back();
      append_utf8(words.back(), c);
    }
    fresh = alone || is_bert_space(c);
  });
  return words;
}

}  // namespace headroom
