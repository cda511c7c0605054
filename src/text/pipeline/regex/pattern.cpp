#include "text/pipeline/regex/pattern.h"

#include <array>

#include "text/pipeline/regex/regex.h"
#include "text/unicode/unicode.h"

namespace headroom {
namespace {

enum class WordClass : uint8_t { letter, number, space, other };

WordClass word_class(char32_t c) {
  switch (kind_of(c)) {
    case CharacterKind::letter:
      return WordClass::letter;
    case CharacterKind::number:
    case CharacterKind::other_number:
      return WordClass::number;
    default:
      return is_white_space(c) ? WordClass::space : WordClass::other;
  }
}

constexpr std::array<WordClass, 128> ascii_word_classes = [] {
  std::array<WordClass, 128> classes{};
  for (size_t c = 0; c < classes.size(); ++c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    classes[c] = letter                 ? WordClass::letter
                 : c >= '0' && c <= '9' ? WordClass::number
                 : space                ? WordClass::space
                                        : WordClass::other;
  }
  return classes;
}();

struct ClassedCharacter {
  WordClass kind = WordClass::other;
  size_t bytes = 1;
};

ClassedCharacter classed_at(std::string_view text, size_t position) {
  const auto byte = static_cast<unsigned char>(text[position]);
  if (byte < 0x80) return {ascii_word_classes[byte], 1};
  const CodePoint point = decode_utf8(text.substr(position));
  return {word_class(point.value), static_cast<size_t>(point.bytes)};
}

size_t contraction_bytes(std::string_view text) {
  if (text.size() < 2 || text[0] != '\'') return 0;
  const char c = text[1];
  if (c == 's' || c == 't' || c == 'm' || c == 'd') return 2;
  const std::string_view two = text.substr(1, 2);
  return two == "re" || two == "ve" || two == "ll" ? 3 : 0;
}

class Gpt2Pattern : public Pattern {
 public:
  void find_all(std::string_view text, std::vector<TextSpan>& matches) const override {
    for (size_t begin = 0; begin < text.size();) {
      const size_t end = gpt2_word_end(text, begin);
      matches.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
      begin = end;
    }
  }
};

class LiteralPattern : public Pattern {
 public:
  explicit LiteralPattern(std::string literal) : literal_(std::move(literal)) {}
  void find_all(std::string_view text, std::vector<TextSpan>& matches) const override {
    if (literal_.empty()) return;
    for (size_t at = text.find(literal_); at < text.size();
         at = text.find(literal_, at + literal_.size())) {
      matches.push_back({static_cast<uint32_t>(at), static_cast<uint32_t>(at + literal_.size())});
    }
  }

 private:
  std::string literal_;
};

class RegexPattern : public Pattern {
 public:
  explicit RegexPattern(std::string_view expression) : regex_(expression) {}
  void find_all(std::string_view text, std::vector<TextSpan>& matches) const override {
    regex_.find_all(text, matches);
  }

 private:
  Regex regex_;
};

}  // namespace

size_t gpt2_word_end(std::string_view text, size_t position) {
  if (const size_t bytes = contraction_bytes(text.substr(position))) return position + bytes;
  ClassedCharacter first = classed_at(text, position);
  size_t end = position + first.bytes;
  if (text[position] == ' ' && end < text.size()) {
    const ClassedCharacter next = classed_at(text, end);
    if (next.kind != WordClass::space) {
      first = next;
      end += next.bytes;
    }
  }
  size_t last = end;  // where the last character of the run begins; the end of a run of one
  while (end < text.size()) {
    const ClassedCharacter next = classed_at(text, end);
    if (next.kind != first.kind) break;
    last = end;
    end += next.bytes;
  }
  if (first.kind != WordClass::space || end == text.size()) return end;
  // The last of several spaces goes to the word behind it.
  return last;
}

std::unique_ptr<Pattern> make_regex_pattern(std::string_view expression) {
  if (expression == gpt2_expression) return std::make_unique<Gpt2Pattern>();
  return std::make_unique<RegexPattern>(expression);
}

std::unique_ptr<Pattern> make_pattern(const Json& json, const JsonFields& fields) {
  const JsonFields pattern(json, ErrorCode::bad_model, "tokenizer.json pattern");
  if (pattern.has("String")) return std::make_unique<LiteralPattern>(pattern.text("String"));
  if (pattern.has("Regex")) return make_regex_pattern(pattern.text("Regex"));
  fields.fail("pattern", "has neither String nor Regex");
}

}  // namespace headroom
