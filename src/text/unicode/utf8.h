// UTF-8, strictly: overlong forms, surrogates and values above U+10FFFF are errors, so that every
// text inside the library is a sequence of Unicode scalar values and nothing else.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace headroom {

// The byte offset of the first byte that is not part of a valid sequence; nothing when all is well.
std::optional<size_t> find_invalid_utf8(std::string_view text);

// Throws ErrorCode::bad_data with `operation` when `text` is not UTF-8; `origin` says where the
// text came from ("train.csv line 7"), and may be empty.
void require_utf8(std::string_view text, std::string_view operation, std::string_view origin);

struct CodePoint {
  char32_t value = 0;
  int bytes = 0;  // length of its UTF-8 form; 0 means that no valid sequence starts here
};

// Decodes the sequence at the start of `text`, which must not be empty.
CodePoint decode_utf8(std::string_view text);

// Decodes the sequence at `position`. Throws ErrorCode::bad_data with `operation` when none starts
// there.
CodePoint require_code_point(std::string_view text, size_t position, std::string_view operation);

// Appends the UTF-8 form of a Unicode scalar value.
void append_utf8(std::string& out, char32_t value);

// How many characters (Unicode scalar values) valid UTF-8 holds.
size_t count_characters(std::string_view text);

// ISO 8859-1 to UTF-8. Every byte string is valid input.
std::string latin1_to_utf8(std::string_view bytes);

}  // namespace headroom
