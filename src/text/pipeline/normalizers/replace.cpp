// Replace: every match of a string or a regular expression becomes another string.
#include "text/pipeline/normalizers/kinds.h"
#include "text/pipeline/regex/pattern.h"

namespace headroom {
namespace {

class Replace : public Normalizer {
 public:
  explicit Replace(const JsonFields& fields)
      : pattern_(make_pattern(fields.object("pattern"), fields)),
        content_(fields.text("content")),
        only_double_spaces_(fields.object("pattern") == Json{{"Regex", " {2,}"}}) {}

  void apply(AlignedText& text) const override {
    std::vector<TextSpan> matches;
    pattern_->find_all(text.text(), matches);
    if (!matches.empty()) text.replace(matches, content_);
  }
  bool keeps_plain_ascii() const override { return only_double_spaces_; }

 private:
  std::unique_ptr<Pattern> pattern_;
  std::string content_;
  bool only_double_spaces_;
};

}  // namespace

std::unique_ptr<Normalizer> make_replace(const JsonFields& fields) {
  return std::make_unique<Replace>(fields);
}

}  // namespace headroom
