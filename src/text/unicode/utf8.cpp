#include "text/unicode/utf8.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/error.h"

namespace headroom {
namespace {

constexpr uint64_t high_bits = 0x8080808080808080ULL;

// Skips ASCII eight bytes at a time: nearly all of English text.
size_t ascii_prefix(std::string_view text, size_t position) {
  while (position + sizeof(uint64_t) <= text.size()) {
    uint64_t block = 0;
    std::memcpy(&block, text.data() + position, sizeof block);
    if ((block & high_bits) != 0) break;
    position += sizeof block;
  }
  while (position < text.size() && static_cast<unsigned char>(text[position]) < 0x80) ++position;
  return position;
}

// What the lead byte promises: the length, and the range of the second byte. That range is where
// overlong forms (E0, F0), surrogates (ED) and values above U+10FFFF (F4) are refused (Unicode
// 15, table 3-7).
struct Lead {
  int bytes;
  unsigned char least;
  unsigned char most;
};

Lead classify_lead(unsigned char lead) {
  if (lead < 0x80) return {1, 0, 0};
  if (lead < 0xC2) return {0, 0, 0};  // a continuation byte, or C0/C1: always overlong
  if (lead < 0xE0) return {2, 0x80, 0xBF};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead < 0xF0) return {3, 0x80, 0xBF};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead < 0xF4) return {4, 0x80, 0xBF};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0, 0, 0};
}

}  // namespace

CodePoint decode_utf8(std::string_view text) {
  const auto byte = [&](int i) { return static_cast<unsigned char>(text[static_cast<size_t>(i)]); };
  const Lead lead = classify_lead(byte(0));
  if (lead.bytes == 0 || static_cast<size_t>(lead.bytes) > text.size()) return {};
  if (lead.bytes == 1) return {byte(0), 1};
  if (byte(1) < lead.least || byte(1) > lead.most) return {};
  char32_t value = byte(0) & (0x7FU >> lead.bytes);
  for (int i = 1; i < lead.bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  return {value, lead.bytes};
}

CodePoint require_code_point(std::string_view text, size_t position, std::string_view operation) {
  const CodePoint point = decode_utf8(text.substr(position));
  if (point.bytes == 0) {
    throw Error(ErrorCode::bad_data, std::string(operation),
                fmt::format("byte 0x{:02X} at offset {} is not valid UTF-8",
                            static_cast<unsigned char>(text[position]), position));
  }
  return point;
}

std::optional<size_t> find_invalid_utf8(std::string_view text) {
  size_t position = ascii_prefix(text, 0);
  while (position < text.size()) {
    const CodePoint point = decode_utf8(text.substr(position));
    if (point.bytes == 0) return position;
    position = ascii_prefix(text, position + static_cast<size_t>(point.bytes));
  }
  return std::nullopt;
}

void require_utf8(std::string_view text, std::string_view operation, std::string_view origin) {
  const std::optional<size_t> bad = find_invalid_utf8(text);
  if (!bad) return;
  throw Error(ErrorCode::bad_data, std::string(operation),
              fmt::format("{}{}byte 0x{:02X} at offset {} is not valid UTF-8; is the text in "
                          "another encoding, such as latin-1?",
                          origin, origin.empty() ? "" : ": ",
                          static_cast<unsigned char>(text[*bad]), *bad));
}

void append_utf8(std::string& out, char32_t value) {
  const auto tail = [&](unsigned shift) {
    out.push_back(static_cast<char>(0x80U | ((value >> shift) & 0x3FU)));
  };
  if (value < 0x80) {
    out.push_back(static_cast<char>(value));
  } else if (value < 0x800) {
    out.push_back(static_cast<char>(0xC0U | (value >> 6U)));
    tail(0);
  } else if (value < 0x10000) {
    out.push_back(static_cast<char>(0xE0U | (value >> 12U)));
    tail(6);
    tail(0);
  } else {
    out.push_back(static_cast<char>(0xF0U | (value >> 18U)));
    tail(12);
    tail(6);
    tail(0);
  }
}

size_t count_characters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;  // not a continuation byte
  }));
}

std::string latin1_to_utf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (const char c : bytes) append_utf8(text, static_cast<unsigned char>(c));
  return text;
}

}  // namespace headroom
