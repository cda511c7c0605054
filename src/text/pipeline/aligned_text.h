// A text while it is normalised and cut into words: its bytes, and for each of them the bytes of
// the original that it stands for, from which tokens get their offsets. How characters that were
// inserted, replaced or removed are aligned follows Hugging Face's NormalizedString, whose offsets
// ours have to equal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "text/text_span.h"
#include "text/unicode/utf8.h"

namespace headroom {

// A character of the new text. `change` 0: in place of the next character of the old one; above 0:
// inserted behind the one before; -n: in place of the next, and the n behind that vanish.
struct CharacterChange {
  char32_t character = 0;
  int change = 0;
};

class AlignedText {
 public:
  // Without `aligned` nobody will ask for origin(), and no alignment is kept.
  AlignedText(std::string_view text, bool aligned);

  const std::string& text() const { return text_; }
  bool empty() const { return text_.empty(); }
  size_t size() const { return text_.size(); }
  bool aligned() const { return aligned_; }

  // The bytes of the original that [begin, end), which is not empty, stands for.
  TextSpan origin(size_t begin, size_t end) const;
  // Where this text began in the original when it was cut out of it.
  size_t start() const { return start_; }

  AlignedText slice(size_t begin, size_t end) const;

  // Leaves out the first `removed` characters and makes the changes to the rest.
  void transform(std::span<const CharacterChange> changes, size_t removed = 0);

  // In front, unless there is no text; aligned with its first character.
  void prepend(std::string_view prefix);

  // Replaces each of the spans, which are in order and do not overlap. The content is aligned with
  // the last character of what it replaces.
  void replace(std::span<const TextSpan> spans, std::string_view content);

  template <typename Keep>
  void filter(Keep keep) {
    std::vector<TextSpan> dropped;
    for_each([&](char32_t c, size_t begin, size_t end) {
      if (keep(c)) return;
      dropped.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
    });
    if (!dropped.empty()) replace(dropped, "");
  }

  // One character for each.
  template <typename Map>
  void map(Map mapped) {
    std::vector<CharacterChange> changes;
    bool changed = false;
    for_each([&](char32_t c, size_t, size_t) {
      const char32_t other = mapped(c);
      changed = changed || other != c;
      changes.push_back({other, 0});
    });
    if (changed) transform(changes);
  }

  // Calls visit(character, begin, end).
  template <typename Visit>
  void for_each(Visit visit) const {
    for (size_t i = 0; i < text_.size();) {
      const CodePoint point = decode_utf8(std::string_view(text_).substr(i));
      visit(point.value, i, i + static_cast<size_t>(point.bytes));
      i += static_cast<size_t>(point.bytes);
    }
  }

 private:
  AlignedText() = default;

  std::string text_;
  std::vector<TextSpan> spans_;  // one per byte; empty without alignment
  size_t start_ = 0;
  bool aligned_ = false;
};

}  // namespace headroom
