// Cutting a text at the matches of a pattern, with tokenizer.json's words for what becomes of them.
#pragma once

#include <vector>

#include "base/enum_table.h"
#include "text/pipeline/aligned_text.h"

namespace headroom {

enum class SplitBehavior { removed, isolated, merged_with_previous, merged_with_next, contiguous };
inline constexpr auto split_behavior_table = enum_table<SplitBehavior>(
    "behavior", {{SplitBehavior::removed, "Removed", "matches vanish"},
                 {SplitBehavior::isolated, "Isolated", "a match is a word"},
                 {SplitBehavior::merged_with_previous, "MergedWithPrevious", "it ends a word"},
                 {SplitBehavior::merged_with_next, "MergedWithNext", "it begins a word"},
                 {SplitBehavior::contiguous, "Contiguous", "matches in a row are one word"}});

// Appends the parts of `text` that are not empty. With `inverted`, what lies between the matches
// counts as the matches.
void split_text(const AlignedText& text, const std::vector<TextSpan>& matches,
                SplitBehavior behavior, bool inverted, std::vector<AlignedText>& parts);

// Every character for which `is_match` holds is a match.
template <typename IsMatch>
void split_at_characters(const AlignedText& text, IsMatch is_match, SplitBehavior behavior,
                         std::vector<AlignedText>& parts) {
  std::vector<TextSpan> matches;
  text.for_each([&](char32_t c, size_t begin, size_t end) {
    if (!is_match(c)) return;
    matches.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
  });
  split_text(text, matches, behavior, false, parts);
}

}  // namespace headroom
