// What tokenizer.json calls a pattern: a string, or a regular expression. GPT-2's expression, which
// most byte-level tokenizers have, is scanned by hand; others run in text/pipeline/regex.h.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "text/pipeline/aligned_text.h"

namespace headroom {

class Pattern {
 public:
  virtual ~Pattern() = default;
  // Appends the matches in valid UTF-8, in order, not overlapping.
  virtual void find_all(std::string_view text, std::vector<TextSpan>& matches) const = 0;
};

// From {"String": "..."} or {"Regex": "..."}; `fields` has it and is named in errors.
std::unique_ptr<Pattern> make_pattern(const Json& json, const JsonFields& fields);

std::unique_ptr<Pattern> make_regex_pattern(std::string_view expression);

inline constexpr std::string_view gpt2_expression =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// Where the word of GPT-2's expression that begins at `position` ends: every character is in one.
size_t gpt2_word_end(std::string_view text, size_t position);

}  // namespace headroom
