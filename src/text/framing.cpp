#include "text/framing.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"

namespace headroom {
namespace {

FramePiece parse_piece(std::string_view text, const Vocabulary& vocabulary) {
  FramePiece piece;
  if (text.ends_with(":1")) {
    piece.type = 1;
    text.remove_suffix(2);
  }
  if (text == "$A") {
    piece.kind = FramePiece::Kind::first;
  } else if (text == "$B") {
    piece.kind = FramePiece::Kind::second;
  } else if (const auto id = vocabulary.find(text)) {
    piece.id = *id;
  } else {
    throw Error(ErrorCode::bad_model, "read vocabulary",
                fmt::format("there is no {} token, which goes around every text", text));
  }
  return piece;
}

std::vector<FramePiece> parse_frame(std::string_view text, const Vocabulary& vocabulary) {
  std::vector<FramePiece> frame;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    frame.push_back(parse_piece(text.substr(0, end), vocabulary));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return frame;
}

}  // namespace

Framing::Framing(std::string_view single, std::string_view pair, const Vocabulary& vocabulary)
    : single_(parse_frame(single, vocabulary)), pair_(parse_frame(pair, vocabulary)) {}

bool Framing::typed() const {
  return std::any_of(pair_.begin(), pair_.end(),
                     [](const FramePiece& piece) { return piece.type != 0; });
}

std::vector<int32_t> Framing::around(std::span<const int32_t> pieces) const {
  std::vector<int32_t> ids;
  ids.reserve(pieces.size() + special_tokens(single_));
  for (const FramePiece& piece : single_) {
    if (piece.kind == FramePiece::Kind::special) {
      ids.push_back(piece.id);
    } else {
      ids.insert(ids.end(), pieces.begin(), pieces.end());
    }
  }
  return ids;
}

Tokens Framing::around_pair(std::span<const int32_t> first, std::span<const int32_t> second) const {
  Tokens pair;
  const bool types = typed();
  for (const FramePiece& piece : pair_) {
    if (piece.kind == FramePiece::Kind::special) {
      pair.ids.push_back(piece.id);
    } else {
      const auto part = piece.kind == FramePiece::Kind::first ? first : second;
      pair.ids.insert(pair.ids.end(), part.begin(), part.end());
    }
    if (types) pair.types.resize(pair.ids.size(), piece.type);
  }
  return pair;
}

Tokens Framing::around_first(std::span<const int32_t> first) const {
  Tokens tokens{around(first)};
  if (typed()) tokens.types.assign(tokens.ids.size(), 0);
  return tokens;
}

size_t Framing::special_tokens(const std::vector<FramePiece>& frame) {
  return static_cast<size_t>(std::count_if(frame.begin(), frame.end(), [](const FramePiece& piece) {
    return piece.kind == FramePiece::Kind::special;
  }));
}

}  // namespace headroom
