// ByteLevel as a normaliser: every byte becomes its character of the byte alphabet.
#include "text/pipeline/byte_alphabet.h"
#include "text/pipeline/normalizers/kinds.h"

namespace headroom {
namespace {

class ByteLevelNormalizer : public Normalizer {
 public:
  void apply(AlignedText& text) const override {
    std::vector<CharacterChange> changes;
    changes.reserve(text.size());
    text.for_each([&](char32_t, size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        changes.push_back(
            {byte_alphabet[static_cast<unsigned char>(text.text()[i])], i > begin ? 1 : 0});
      }
    });
    text.transform(changes);
  }
};

}  // namespace

std::unique_ptr<Normalizer> make_byte_level_normalizer(const JsonFields&) {
  return std::make_unique<ByteLevelNormalizer>();
}

}  // namespace headroom
