// NFC, NFD, NFKC and NFKD of Unicode 15. Every character carries whether it takes the place of one
// of the text or was added, so that offsets follow; a composed character stands for its first part.
#include <algorithm>

#include "text/pipeline/normalizers/kinds.h"
#include "text/unicode/unicode.h"

namespace headroom {
namespace {

using Changes = std::vector<CharacterChange>;

void sort_pending_marks(Changes& changes, size_t from) {
  std::stable_sort(changes.begin() + static_cast<std::ptrdiff_t>(from), changes.end(),
                   [](const CharacterChange& a, const CharacterChange& b) {
                     return combining_class_of(a.character) < combining_class_of(b.character);
                   });
}

Changes decomposed_changes(const AlignedText& text, bool compatible) {
  Changes changes;
  changes.reserve(text.size());
  size_t marks_from = 0;
  std::u32string parts;
  text.for_each([&](char32_t c, size_t, size_t) {
    parts.clear();
    if (compatible) {
      append_compatible(c, parts);
    } else {
      const Decomposed all = decomposition_of(c);
      parts.append(all.characters.data(), all.count);
    }
    for (size_t i = 0; i < parts.size(); ++i) {
      const bool starter = combining_class_of(parts[i]) == 0;
      if (starter) sort_pending_marks(changes, marks_from);
      changes.push_back({parts[i], i > 0 ? 1 : 0});
      if (starter) marks_from = changes.size();
    }
  });
  sort_pending_marks(changes, marks_from);
  return changes;
}

// In place: a starter takes in the marks behind it that it composes with and that no mark of the
// same or a higher class keeps apart.
void compose_changes(Changes& changes) {
  constexpr size_t none = SIZE_MAX;
  size_t starter = none;
  int last_class = -1;  // of what stands behind the starter; -1: nothing does
  size_t kept = 0;
  for (const CharacterChange& each : changes) {
    const int combining = combining_class_of(each.character);
    if (starter != none && last_class < combining) {
      if (const char32_t composed = composition_of(changes[starter].character, each.character)) {
        changes[starter].character = composed;
        changes[starter].change += each.change - 1;
        continue;
      }
    }
    if (combining == 0) {
      starter = kept;
      last_class = -1;
    } else {
      last_class = combining;
    }
    changes[kept++] = CharacterChange(each);
  }
  changes.resize(kept);
}

class UnicodeForm : public Normalizer {
 public:
  UnicodeForm(bool compatible, bool composed) : compatible_(compatible), composed_(composed) {}

  void apply(AlignedText& text) const override {
    bool unchanged = true;
    // Latin-1 and what follows up to the combining marks is composed already.
    const char32_t inert = composed_ && !compatible_ ? 0x300 : 0x80;
    text.for_each([&](char32_t c, size_t, size_t) { unchanged = unchanged && c < inert; });
    if (unchanged) return;
    Changes changes = decomposed_changes(text, compatible_);
    if (composed_) compose_changes(changes);
    text.transform(changes);
  }
  bool keeps_plain_ascii() const override { return true; }

 private:
  bool compatible_;
  bool composed_;
};

}  // namespace

std::unique_ptr<Normalizer> make_nfc(const JsonFields&) {
  return std::make_unique<UnicodeForm>(false, true);
}

std::unique_ptr<Normalizer> make_nfd(const JsonFields&) {
  return std::make_unique<UnicodeForm>(false, false);
}

std::unique_ptr<Normalizer> make_nfkc(const JsonFields&) {
  return std::make_unique<UnicodeForm>(true, true);
}

std::unique_ptr<Normalizer> make_nfkd(const JsonFields&) {
  return std::make_unique<UnicodeForm>(true, false);
}

}  // namespace headroom
