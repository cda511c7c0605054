// Base64, in which tokenizer.json holds SentencePiece's table of replacements and config.json the
// rarity of a ranker's tokens.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"

namespace headroom {

// `key` of `fields` is where the text stands.
inline std::string base64_decoded(std::string_view text, const JsonFields& fields,
                                  std::string_view key) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  while (text.ends_with('=')) text.remove_suffix(1);
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    const size_t digit = digits.find(c);
    if (digit == std::string_view::npos) fields.fail(key, "is not base64");
    bits = bits << 6U | static_cast<uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> static_cast<uint32_t>(count) & 0xFFU));
  }
  return bytes;
}

inline std::string base64_encoded(std::string_view bytes) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t bits = 0;
    for (size_t k = 0; k < 3; ++k) {
      bits = bits << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (size_t k = 0; k < 4; ++k) {
      text.push_back(i + k <= bytes.size() ? digits[bits >> (18 - 6 * k) & 63U] : '=');
    }
  }
  return text;
}

}  // namespace headroom
