#include "text/pipeline/pre_tokenizer.h"

#include <algorithm>
#include <utility>

#include "text/pipeline/parts.h"
#include "text/pipeline/pre_tokenizers/kinds.h"

namespace headroom {
namespace {

class PreTokenizerSequence : public PreTokenizer {
 public:
  explicit PreTokenizerSequence(const JsonFields& fields) {
    for (const Json& part : fields.array("pretokenizers")) {
      parts_.push_back(make_pre_tokenizer(part));
    }
  }

  void cut(AlignedText text, std::vector<AlignedText>& words) const override {
    std::vector<AlignedText> pieces;
    pieces.push_back(std::move(text));
    for (const auto& part : parts_) {
      std::vector<AlignedText> smaller;
      for (AlignedText& piece : pieces) part->cut(std::move(piece), smaller);
      pieces = std::move(smaller);
    }
    std::move(pieces.begin(), pieces.end(), std::back_inserter(words));
  }

  bool needs_alignment() const override {
    return std::any_of(parts_.begin(), parts_.end(),
                       [](const auto& part) { return part->needs_alignment(); });
  }

 private:
  std::vector<std::unique_ptr<PreTokenizer>> parts_;
};

std::unique_ptr<PreTokenizer> make_pre_tokenizer_sequence(const JsonFields& fields) {
  return std::make_unique<PreTokenizerSequence>(fields);
}

using MakePreTokenizer = std::unique_ptr<PreTokenizer> (*)(const JsonFields&);
constexpr std::array<PartKind<MakePreTokenizer>, 10> pre_tokenizer_kinds = {{
    {"BertPreTokenizer", make_bert_pre_tokenizer},
    {"ByteLevel", make_byte_level},
    {"CharDelimiterSplit", make_delimiter_split},
    {"Digits", make_digits},
    {"Metaspace", make_metaspace},
    {"Punctuation", make_punctuation},
    {"Sequence", make_pre_tokenizer_sequence},
    {"Split", make_split},
    {"Whitespace", make_whitespace},
    {"WhitespaceSplit", make_whitespace_split},
}};

}  // namespace

std::unique_ptr<PreTokenizer> make_pre_tokenizer(const Json& json) {
  const TokenizerPart part(json, "pre_tokenizer");
  return find_kind(pre_tokenizer_kinds, part.fields())(part.fields());
}

}  // namespace headroom
