// How texts that are too long are cut: which part is read, and how much of a very long text has to
// be looked at to know it.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/enum_table.h"

namespace headroom {

// What is read of a text that is too long.
enum class KeptPart { head, tail, head_tail };
inline constexpr auto kept_part_table = enum_table<KeptPart>(
    "truncation",
    {{KeptPart::head, "head"}, {KeptPart::tail, "tail"}, {KeptPart::head_tail, "head_tail"}});
// "its beginning", "its end", ...: what is read.
constexpr std::string_view describe(KeptPart part) {
  if (part == KeptPart::head) return "its beginning";
  return part == KeptPart::tail ? "its end" : "a quarter from the beginning, the rest from the end";
}

struct Truncation {
  std::optional<int> max_tokens = std::nullopt;  // special tokens included; none: no own limit
  KeptPart keeps = KeptPart::head;               // of single texts; pairs never keep head_tail
  // Of an odd number of tokens for two long texts, one more goes to the longer, and between equals
  // to the second, as in Hugging Face's fast tokenizers. Otherwise always to the first.
  bool odd_to_longer = false;
};

// Of `room` pieces of a text that has more, those from its beginning; the others are from its end.
// A quarter: 128 and 382 of 510 were best on IMDB in arXiv 1905.05583, section 5.3.1.
size_t head_pieces(KeptPart keeps, size_t room);

// Where a suffix of about `bytes` bytes of a text begins: at a space, so that the words behind it
// are those of the whole text, or between two characters where there is none for long. 0 where the
// text is not longer.
size_t suffix_begin(std::string_view text, size_t bytes);

}  // namespace headroom
