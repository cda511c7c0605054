// Pre-tokenizers that only cut: at white space, punctuation, digits, or a pattern.
#include "text/pipeline/parts.h"
#include "text/pipeline/pre_tokenizers/kinds.h"
#include "text/pipeline/regex/pattern.h"
#include "text/pipeline/split.h"
#include "text/unicode/unicode.h"
#include "text/wordpiece/bert_normalizer.h"

namespace headroom {
namespace {

SplitBehavior behavior_of(const JsonFields& fields, SplitBehavior fallback) {
  const std::string name =
      fields.text_or("behavior", std::string(split_behavior_table.name(fallback)));
  return split_behavior_table.parse(name, ErrorCode::bad_model, "read tokenizer.json");
}

class CharacterSplit : public PreTokenizer {
 public:
  using IsMatch = bool (*)(char32_t);
  CharacterSplit(IsMatch is_match, SplitBehavior behavior)
      : is_match_(is_match), behavior_(behavior) {}
  void cut(AlignedText text, std::vector<AlignedText>& words) const override {
    split_at_characters(text, is_match_, behavior_, words);
  }

 private:
  IsMatch is_match_;
  SplitBehavior behavior_;
};

class DelimiterSplit : public PreTokenizer {
 public:
  explicit DelimiterSplit(const JsonFields& fields) {
    const std::string delimiter = fields.text("delimiter");
    if (count_characters(delimiter) != 1) fields.fail("delimiter", "is not one character");
    delimiter_ = decode_utf8(delimiter).value;
  }
  void cut(AlignedText text, std::vector<AlignedText>& words) const override {
    split_at_characters(
        text, [this](char32_t c) { return c == delimiter_; }, SplitBehavior::removed, words);
  }

 private:
  char32_t delimiter_ = 0;
};

class BertPreTokenizer : public PreTokenizer {
 public:
  void cut(AlignedText text, std::vector<AlignedText>& words) const override {
    std::vector<AlignedText> between_spaces;
    split_at_characters(text, is_white_space, SplitBehavior::removed, between_spaces);
    for (const AlignedText& part : between_spaces) {
      split_at_characters(part, is_bert_punctuation, SplitBehavior::isolated, words);
    }
  }
};

class PatternSplit : public PreTokenizer {
 public:
  PatternSplit(std::unique_ptr<Pattern> pattern, SplitBehavior behavior, bool inverted)
      : pattern_(std::move(pattern)), behavior_(behavior), inverted_(inverted) {}
  void cut(AlignedText text, std::vector<AlignedText>& words) const override {
    std::vector<TextSpan> matches;
    pattern_->find_all(text.text(), matches);
    split_text(text, matches, behavior_, inverted_, words);
  }

 private:
  std::unique_ptr<Pattern> pattern_;
  SplitBehavior behavior_;
  bool inverted_;
};

}  // namespace

std::unique_ptr<PreTokenizer> make_whitespace_split(const JsonFields&) {
  return std::make_unique<CharacterSplit>(is_white_space, SplitBehavior::removed);
}

std::unique_ptr<PreTokenizer> make_whitespace(const JsonFields&) {
  return std::make_unique<PatternSplit>(make_regex_pattern(R"(\w+|[^\w\s]+)"),
                                        SplitBehavior::removed, true);
}

std::unique_ptr<PreTokenizer> make_punctuation(const JsonFields& fields) {
  return std::make_unique<CharacterSplit>(is_bert_punctuation,
                                          behavior_of(fields, SplitBehavior::isolated));
}

std::unique_ptr<PreTokenizer> make_digits(const JsonFields& fields) {
  return std::make_unique<CharacterSplit>(is_number, fields.boolean_or("individual_digits", false)
                                                         ? SplitBehavior::isolated
                                                         : SplitBehavior::contiguous);
}

std::unique_ptr<PreTokenizer> make_delimiter_split(const JsonFields& fields) {
  return std::make_unique<DelimiterSplit>(fields);
}

std::unique_ptr<PreTokenizer> make_bert_pre_tokenizer(const JsonFields&) {
  return std::make_unique<BertPreTokenizer>();
}

std::unique_ptr<PreTokenizer> make_split(const JsonFields& fields) {
  return std::make_unique<PatternSplit>(make_pattern(fields.object("pattern"), fields),
                                        behavior_of(fields, SplitBehavior::isolated),
                                        fields.boolean_or("invert", false));
}

}  // namespace headroom
