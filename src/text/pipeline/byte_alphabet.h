// The printable character that stands for each byte in byte-level tokens: GPT-2's. Letters, digits
// and marks are themselves; the other 68 are the characters from U+0100 on, so that a space is
// written U+0120.
#pragma once

#include <array>
#include <cstddef>

namespace headroom {

inline constexpr std::array<char32_t, 256> byte_alphabet = [] {
  std::array<char32_t, 256> alphabet{};
  char32_t next = 0x100;
  for (size_t byte = 0; byte < alphabet.size(); ++byte) {
    const bool printable =
        (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || (byte >= 0xAE);
    alphabet[byte] = printable ? static_cast<char32_t>(byte) : next++;
  }
  return alphabet;
}();

}  // namespace headroom
