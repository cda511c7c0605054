#include "text/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <climits>
#include <utility>

#include "base/error.h"
#include "text/letter_case.h"
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

// Makes offsets of a text's characters from spans of its bytes.
void count_in_characters(std::string_view text, std::span<TextSpan> spans) {
  std::vector<uint32_t> characters(text.size() + 1);  // that begin before a byte
  for (size_t i = 0; i < text.size(); ++i) {
    const bool begins = (static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U;
    characters[i + 1] = characters[i] + (begins ? 1 : 0);
  }
  for (TextSpan& span : spans) span = {characters[span.begin], characters[span.end]};
}

}  // namespace

int Tokenizer::most_tokens(int64_t positions) const {
  const int64_t own = truncation_.max_tokens.value_or(INT_MAX);
  return static_cast<int>(std::min(own, positions));
}

// How many pieces of two texts stay in `room`.
Tokenizer::Lengths Tokenizer::kept_lengths(size_t first, size_t second, size_t room) const {
  if (first + second <= room) return {first, second};
  const size_t shorter = std::min(first, second);
  if (shorter <= room / 2) {  // fits: only the longer one is cut
    return first < second ? Lengths{first, room - first} : Lengths{room - second, second};
  }
  const size_t odd = room % 2;
  const bool odd_to_first = !truncation_.odd_to_longer || first > second;
  return odd_to_first ? Lengths{room / 2 + odd, room / 2} : Lengths{room / 2, room / 2 + odd};
}

// How many pieces of a text have to be read to know which of them stay, and whether others do not.
size_t Tokenizer::reading_limit(size_t room, bool pair) const {
  const bool which_is_longer = pair && truncation_.odd_to_longer && room % 2 == 1;
  return truncation_.keeps_end || which_is_longer ? SIZE_MAX / 2 : room + 1;
}

// Whether any piece is gone.
bool Tokenizer::truncate(std::vector<int32_t>& ids, size_t kept) const {
  if (ids.size() <= kept) return false;
  if (truncation_.keeps_end) {
    ids.erase(ids.begin(), ids.end() - static_cast<std::ptrdiff_t>(kept));
  } else {
    ids.resize(kept);
  }
  return true;
}

Tokens Tokenizer::tokens(const Text& text, int max_tokens) const {
  if (text.pair) {
    EncodedPair pair = encode_pair(text.text, *text.pair, max_tokens);
    return {std::move(pair.ids), std::move(pair.types), pair.truncated};
  }
  const size_t room = room_in(framing_.single(), max_tokens);
  require_utf8(text.text, "tokenize text", "");
  Tokens tokens;
  for (const FramePiece& piece : framing_.single()) {
    if (piece.kind == FramePiece::Kind::special) {
      tokens.ids.push_back(piece.id);
    } else if (!truncation_.keeps_end) {
      const size_t before = tokens.ids.size();
      append_pieces(text.text, reading_limit(room, false), tokens.ids);
      tokens.truncated = truncate(tokens.ids, before + room);
    } else {
      std::vector<int32_t> all;
      append_pieces(text.text, reading_limit(room, false), all);
      tokens.truncated = truncate(all, room);
      tokens.ids.insert(tokens.ids.end(), all.begin(), all.end());
    }
  }
  if (letter_case_) tokens.types = encode_with_offsets(text, max_tokens).types;
  return tokens;
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, int max_tokens) const {
  return tokens({text}, max_tokens).ids;
}

size_t Tokenizer::room(int max_tokens) const {
  return room_in(framing_.single(), max_tokens);
}

std::vector<int32_t> Tokenizer::frame(std::span<const int32_t> pieces) const {
  std::vector<int32_t> ids;
  for (const FramePiece& piece : framing_.single()) {
    if (piece.kind == FramePiece::Kind::special) {
      ids.push_back(piece.id);
    } else {
      ids.insert(ids.end(), pieces.begin(), pieces.end());
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

Tokens Tokenizer::typed_pieces(std::string_view text) const {
  if (!letter_case_) return {pieces(text)};
  const Encoding all = encode_with_offsets({text}, INT_MAX);
  Tokens tokens;
  for (size_t i = 0; i < all.ids.size(); ++i) {
    if (all.sources[i] < 0) continue;
    tokens.ids.push_back(all.ids[i]);
    tokens.types.push_back(all.types[i]);
  }
  return tokens;
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

// As in Transformers, an empty second text is none.
const std::vector<FramePiece>& Tokenizer::frame_around(std::string_view second) const {
  return second.empty() ? framing_.single() : framing_.pair();
}

EncodedPair Tokenizer::encode_pair(std::string_view first, std::string_view second,
                                   int max_tokens) const {
  const size_t room = room_in(frame_around(second), max_tokens);
  require_utf8(first, "tokenize text", "first of a pair");
  std::vector<int32_t> pieces_of_first;
  append_pieces(first, reading_limit(room, true), pieces_of_first);
  return encode_pair(std::move(pieces_of_first), second, max_tokens);
}

EncodedPair Tokenizer::encode_pair(std::vector<int32_t> pieces_of_first, std::string_view second,
                                   int max_tokens) const {
  const std::vector<FramePiece>& frame = frame_around(second);
  const size_t room = room_in(frame, max_tokens);
  require_utf8(second, "tokenize text", "second of a pair");
  const size_t limit = reading_limit(room, true);
  if (pieces_of_first.size() > limit) pieces_of_first.resize(limit);
  std::vector<int32_t> pieces_of_second;
  append_pieces(second, limit, pieces_of_second);
  const Lengths kept = kept_lengths(pieces_of_first.size(), pieces_of_second.size(), room);
  EncodedPair pair;
  const bool first_cut = truncate(pieces_of_first, kept.first);
  pair.truncated = truncate(pieces_of_second, kept.second) || first_cut;
  for (const FramePiece& piece : frame) {
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

Encoding Tokenizer::encode_with_offsets(const Text& text, int max_tokens) const {
  const std::vector<FramePiece>& frame = frame_around(text.pair.value_or(""));
  const size_t room = room_in(frame, max_tokens);
  struct Part {
    std::vector<int32_t> ids;
    std::vector<TextSpan> spans;
    size_t from = 0, kept = 0;
  };
  std::array<Part, 2> parts;
  const std::array<std::string_view, 2> texts = {text.text, text.pair.value_or("")};
  const size_t limit = reading_limit(room, text.pair.has_value());
  for (size_t i = 0; i < parts.size(); ++i) {
    require_utf8(texts[i], "tokenize text", "");
    append_with_spans(texts[i], limit, parts[i].ids, parts[i].spans);
    count_in_characters(texts[i], parts[i].spans);
    adjust_offsets(parts[i].ids, parts[i].spans);
  }
  Lengths kept = {std::min(parts[0].ids.size(), room), 0};
  if (text.pair) kept = kept_lengths(parts[0].ids.size(), parts[1].ids.size(), room);
  parts[0].kept = kept.first;
  parts[1].kept = kept.second;
  Encoding encoding;
  for (Part& part : parts) {
    part.from = truncation_.keeps_end ? part.ids.size() - part.kept : 0;
  }
  for (const FramePiece& piece : frame) {
    if (piece.kind == FramePiece::Kind::special) {
      encoding.ids.push_back(piece.id);
      encoding.offsets.emplace_back();
      encoding.sources.push_back(-1);
    } else {
      const size_t source = piece.kind == FramePiece::Kind::first ? 0 : 1;
      const Part& part = parts[source];
      for (size_t i = part.from; i < part.from + part.kept; ++i) {
        encoding.ids.push_back(part.ids[i]);
        encoding.offsets.push_back(part.spans[i]);
        encoding.sources.push_back(static_cast<int8_t>(source));
      }
    }
    encoding.types.resize(encoding.ids.size(), piece.type);
  }
  if (letter_case_ && !text.pair) set_letter_cases(text.text, encoding.offsets, encoding.types);
  return encoding;
}

}  // namespace headroom
