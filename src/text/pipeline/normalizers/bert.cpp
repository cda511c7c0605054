// BertNormalizer in plain steps, with any of its switches. BERT's own settings have a faster form
// in text/bert_normalizer.h.
#include "text/wordpiece/bert_normalizer.h"

#include "text/pipeline/normalizers/kinds.h"

namespace headroom {
namespace {

class PlainBertNormalizer : public Normalizer {
 public:
  explicit PlainBertNormalizer(const JsonFields& fields)
      : clean_(fields.boolean_or("clean_text", true)),
        spaced_ideographs_(fields.boolean_or("handle_chinese_chars", true)),
        lower_case_(fields.boolean_or("lowercase", true)),
        strip_accents_(fields.boolean_or("strip_accents", lower_case_)) {
    const Json none = Json::object();
    const JsonFields no_fields(none, ErrorCode::bad_model, "");
    decompose_ = make_nfd(no_fields);
    to_lower_case_ = make_lowercase(no_fields);
  }

  void apply(AlignedText& text) const override {
    if (clean_) {
      text.filter([](char32_t c) { return c != 0 && !is_bert_control(c); });
      text.map([](char32_t c) { return is_bert_space(c) ? U' ' : c; });
    }
    if (spaced_ideographs_) space_ideographs(text);
    if (strip_accents_) {
      decompose_->apply(text);
      text.filter([](char32_t c) { return !is_nonspacing_mark(c); });
    }
    if (lower_case_) to_lower_case_->apply(text);
  }

  bool keeps_plain_ascii() const override { return !lower_case_; }

 private:
  static void space_ideographs(AlignedText& text) {
    std::vector<CharacterChange> changes;
    bool found = false;
    text.for_each([&](char32_t c, size_t, size_t) {
      if (is_cjk_ideograph(c)) {
        changes.insert(changes.end(), {{U' ', 0}, {c, 1}, {U' ', 1}});
        found = true;
      } else {
        changes.push_back({c, 0});
      }
    });
    if (found) text.transform(changes);
  }

  bool clean_, spaced_ideographs_, lower_case_, strip_accents_;
  std::unique_ptr<Normalizer> decompose_, to_lower_case_;
};

}  // namespace

std::unique_ptr<Normalizer> make_bert_normalizer(const JsonFields& fields) {
  return std::make_unique<PlainBertNormalizer>(fields);
}

}  // namespace headroom
