// ByteLevel: words of GPT-2's expression, each written in the byte alphabet.
#include "text/pipeline/normalizers/kinds.h"
#include "text/pipeline/pre_tokenizers/kinds.h"
#include "text/pipeline/regex/pattern.h"
#include "text/pipeline/split.h"

namespace headroom {
namespace {

class ByteLevel : public PreTokenizer {
 public:
  explicit ByteLevel(const JsonFields& fields)
      : prefix_space_(fields.boolean_or("add_prefix_space", true)),
        cut_(fields.boolean_or("use_regex", true)),
        words_(make_regex_pattern(gpt2_expression)),
        bytes_(make_byte_level_normalizer(fields)) {}

  void cut(AlignedText text, std::vector<AlignedText>& words) const override {
    if (prefix_space_ && !text.text().starts_with(' ')) text.prepend(" ");
    const size_t before = words.size();
    if (cut_) {
      std::vector<TextSpan> matches;
      words_->find_all(text.text(), matches);
      split_text(text, matches, SplitBehavior::isolated, false, words);
    } else if (!text.empty()) {
      words.push_back(std::move(text));
    }
    for (size_t i = before; i < words.size(); ++i) bytes_->apply(words[i]);
  }

 private:
  bool prefix_space_, cut_;
  std::unique_ptr<Pattern> words_;
  std::unique_ptr<Normalizer> bytes_;
};

}  // namespace

std::unique_ptr<PreTokenizer> make_byte_level(const JsonFields& fields) {
  return std::make_unique<ByteLevel>(fields);
}

}  // namespace headroom
