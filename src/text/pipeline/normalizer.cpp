#include "text/pipeline/normalizer.h"

#include <algorithm>
#include <utility>

#include "text/pipeline/normalizers/kinds.h"
#include "text/pipeline/parts.h"

namespace headroom {
namespace {

class NormalizerSequence : public Normalizer {
 public:
  explicit NormalizerSequence(const JsonFields& fields) {
    for (const Json& part : fields.array("normalizers")) parts_.push_back(make_normalizer(part));
  }
  void apply(AlignedText& text) const override {
    for (const auto& part : parts_) part->apply(text);
  }
  bool keeps_plain_ascii() const override {
    return std::all_of(parts_.begin(), parts_.end(),
                       [](const auto& part) { return part->keeps_plain_ascii(); });
  }

 private:
  std::vector<std::unique_ptr<Normalizer>> parts_;
};

std::unique_ptr<Normalizer> make_normalizer_sequence(const JsonFields& fields) {
  return std::make_unique<NormalizerSequence>(fields);
}

using MakeNormalizer = std::unique_ptr<Normalizer> (*)(const JsonFields&);
constexpr std::array<PartKind<MakeNormalizer>, 14> normalizer_kinds = {{
    {"BertNormalizer", make_bert_normalizer},
    {"ByteLevel", make_byte_level_normalizer},
    {"Lowercase", make_lowercase},
    {"NFC", make_nfc},
    {"NFD", make_nfd},
    {"NFKC", make_nfkc},
    {"NFKD", make_nfkd},
    {"Nmt", make_nmt},
    {"Precompiled", make_precompiled},
    {"Prepend", make_prepend},
    {"Replace", make_replace},
    {"Sequence", make_normalizer_sequence},
    {"Strip", make_strip},
    {"StripAccents", make_strip_accents},
}};

}  // namespace

std::unique_ptr<Normalizer> make_normalizer(const Json& json) {
  const TokenizerPart part(json, "normalizer");
  return find_kind(normalizer_kinds, part.fields())(part.fields());
}

}  // namespace headroom
