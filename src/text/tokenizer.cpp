#include "text/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace {

// How many pieces of text fit between the special tokens.
size_t room_in(const std::vector<FramePiece>& frame, int max_tokens) {
  const size_t least = Framing::special_tokens(frame);
  if (max_tokens >= static_cast<int>(least)) return static_cast<size_t>(max_tokens) - least;
  throw Error(ErrorCode::usage, "tokenize text",
              fmt::format("a length of {} tokens was asked for, but the special tokens alone need "
                          "{}",
                          max_tokens, least));
}

// How many pieces of the first text stay when both must fit in `room`, taking from the longer one
// and between equals from the second.
size_t kept_of_first(size_t first, size_t second, size_t room) {
  if (first + second <= room) return first;
  const size_t left_by_second = room > second ? room - second : 0;
  return std::min(first, std::max(left_by_second, (room + 1) / 2));
}

}  // namespace

std::vector<int32_t> Tokenizer::encode(std::string_view text, int max_tokens) const {
  const size_t room = room_in(framing_.single(), max_tokens);
  require_utf8(text, "tokenize text", "");
  std::vector<int32_t> ids;
  for (const FramePiece& piece : framing_.single()) {
    if (piece.kind == FramePiece::Kind::special) {
      ids.push_back(piece.id);
    } else {
      append_pieces(text, room, ids);
    }
  }
  return ids;
}

std::vector<int32_t> Tokenizer::pieces(std::string_view text) const {
  require_utf8(text, "tokenize text", "");
  std::vector<int32_t> ids;
  append_pieces(text, text.size(), ids);  // no tokenizer makes more pieces than bytes
  return ids;
}

std::string Tokenizer::join(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) {
    const std::string_view token = vocabulary().token(id);
    if (is_special_token(token) && id != vocabulary().unknown_id()) continue;
    if (token.size() > 2 && token.starts_with("##")) {
      text += token.substr(2);
    } else {
      if (!text.empty()) text += ' ';
      text += token;
    }
  }
  return text;
}

EncodedPair Tokenizer::encode_pair(std::string_view first, std::string_view second,
                                   int max_tokens) const {
  const size_t room = room_in(framing_.pair(), max_tokens);
  require_utf8(first, "tokenize text", "first of a pair");
  require_utf8(second, "tokenize text", "second of a pair");
  std::vector<int32_t> pieces_of_first;
  append_pieces(first, room, pieces_of_first);
  std::vector<int32_t> pieces_of_second;
  append_pieces(second, room, pieces_of_second);
  const size_t kept = kept_of_first(pieces_of_first.size(), pieces_of_second.size(), room);
  pieces_of_first.resize(kept);
  pieces_of_second.resize(std::min(pieces_of_second.size(), room - kept));

  EncodedPair pair;
  for (const FramePiece& piece : framing_.pair()) {
    if (piece.kind == FramePiece::Kind::special) {
      pair.ids.push_back(piece.id);
    } else {
      const auto& text = piece.kind == FramePiece::Kind::first ? pieces_of_first : pieces_of_second;
      pair.ids.insert(pair.ids.end(), text.begin(), text.end());
    }
    if (framing_.typed()) pair.types.resize(pair.ids.size(), piece.type);
  }
  return pair;
}

}  // namespace headroom
