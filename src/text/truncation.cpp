#include "text/truncation.h"

#include <algorithm>

namespace headroom {

size_t head_pieces(KeptPart keeps, size_t room) {
  if (keeps == KeptPart::head) return room;
  return keeps == KeptPart::tail ? 0 : room / 4;
}

size_t suffix_begin(std::string_view text, size_t bytes) {
  if (bytes >= text.size()) return 0;
  const size_t from = text.size() - bytes;
  const size_t space = text.substr(from, bytes / 2).find_first_of(" \n\t\r");
  if (space != std::string_view::npos) return from + space;
  size_t begin = from;
  const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  while (begin < text.size() && continues(text[begin])) ++begin;
  return begin;
}

}  // namespace headroom
