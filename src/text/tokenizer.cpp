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

constexpr size_t all_pieces = SIZE_MAX / 2;

// How many pieces of text fit between the special tokens.
size_t room_in(const std::vector<FramePiece>& frame, int max_tokens) {
  const size_t least = Framing::special_tokens(frame);
  if (max_tokens >= static_cast<int>(least)) return static_cast<size_t>(max_tokens) - least;
  throw Error(ErrorCode::usage, "tokenize text",
              fmt::format("a length of {} tokens was asked for, but the special tokens alone need "
                          "{}",
                          max_tokens, least));
}

// As in Transformers, an empty second text is none.
bool is_pair(const Text& text) {
  return text.pair && !text.pair->empty();
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

void Tokenizer::Pieces::keep_first(size_t count) {
  ids.resize(std::min(ids.size(), count));
  offsets.resize(std::min(offsets.size(), count));
}

void Tokenizer::Pieces::keep_last(size_t count) {
  const auto drop_first = [count](auto& values) {
    const size_t dropped = values.size() - std::min(values.size(), count);
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(dropped));
  };
  drop_first(ids);
  drop_first(offsets);
}

void Tokenizer::Pieces::append(const Pieces& others) {
  ids.insert(ids.end(), others.ids.begin(), others.ids.end());
  offsets.insert(offsets.end(), others.offsets.begin(), others.offsets.end());
}

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

// How many pieces of each text of a pair have to be read to know which of them stay, and whether
// others do not.
size_t Tokenizer::reading_limit(size_t room) const {
  const bool which_is_longer = truncation_.odd_to_longer && room % 2 == 1;
  return truncation_.keeps == KeptPart::tail || which_is_longer ? all_pieces : room + 1;
}

// From byte `begin` of the text on.
Tokenizer::Pieces Tokenizer::read_pieces(std::string_view text, size_t begin, size_t limit,
                                         Offsets offsets) const {
  Pieces pieces;
  if (offsets == Offsets::left_out) {
    append_pieces(text.substr(begin), limit, pieces.ids);
    return pieces;
  }
  append_with_spans(text.substr(begin), limit, pieces.ids, pieces.offsets);
  for (TextSpan& span : pieces.offsets) {
    span.begin += static_cast<uint32_t>(begin);
    span.end += static_cast<uint32_t>(begin);
  }
  count_in_characters(text, pieces.offsets);
  adjust_offsets(pieces.ids, pieces.offsets);
  return pieces;
}

// Those of a single text that stay in `room`.
Tokenizer::Pieces Tokenizer::kept_pieces(std::string_view text, size_t room,
                                         Offsets offsets) const {
  Pieces kept = read_pieces(text, 0, room + 1, offsets);
  if (kept.ids.size() <= room) return kept;
  const size_t head = head_pieces(truncation_.keeps, room);
  kept.keep_first(head);
  kept.append(last_pieces(text, room - head, offsets));
  kept.truncated = true;
  return kept;
}

// The last `count` pieces of a text that has more. Behind a space most tokenizers go on as they do
// in the whole text; `margin` is for those that need some words to do so, and for texts without
// spaces.
Tokenizer::Pieces Tokenizer::last_pieces(std::string_view text, size_t count,
                                         Offsets offsets) const {
  if (count == 0) return {};
  constexpr size_t margin = 32;
  constexpr size_t bytes_a_piece = 16;  // English has 4 to 6
  for (size_t bytes = (count + margin) * bytes_a_piece;; bytes *= 2) {
    const size_t begin = suffix_begin(text, bytes);
    Pieces last = read_pieces(text, begin, all_pieces, offsets);
    if (begin > 0 && last.ids.size() < count + margin) continue;
    last.keep_last(count);
    return last;
  }
}

// Of a single text whose pieces are all there.
void Tokenizer::keep_part(Pieces& pieces, size_t room) const {
  if (pieces.ids.size() <= room) return;
  const size_t head = head_pieces(truncation_.keeps, room);
  Pieces last = pieces;
  last.keep_last(room - head);
  pieces.keep_first(head);
  pieces.append(last);
  pieces.truncated = true;
}

// One text of a pair.
void Tokenizer::truncate(Pieces& pieces, size_t kept) const {
  if (pieces.ids.size() <= kept) return;
  pieces.truncated = true;
  if (truncation_.keeps == KeptPart::tail) {
    pieces.keep_last(kept);
  } else {
    pieces.keep_first(kept);
  }
}

Tokens Tokenizer::tokens(const Text& text, int max_tokens) const {
  if (letter_case_ && !is_pair(text)) {
    Encoding encoding = encode_with_offsets(text, max_tokens);
    return {std::move(encoding.ids), std::move(encoding.types), encoding.truncated};
  }
  if (text.pair) return encode_pair(text.text, *text.pair, max_tokens);
  const size_t room = room_in(framing_.single(), max_tokens);
  require_utf8(text.text, "tokenize text", "");
  const Pieces kept = kept_pieces(text.text, room, Offsets::left_out);
  return {framing_.around(kept.ids), {}, kept.truncated};
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, int max_tokens) const {
  return tokens({text}, max_tokens).ids;
}

size_t Tokenizer::room(int max_tokens) const {
  return room_in(framing_.single(), max_tokens);
}

std::vector<int32_t> Tokenizer::frame(std::span<const int32_t> pieces) const {
  return framing_.around(pieces);
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

// The second text is empty.
Tokens Tokenizer::alone_in_pair(const Pieces& first) const {
  Tokens tokens = framing_.around_first(first.ids);
  tokens.truncated = first.truncated;
  return tokens;
}

const std::vector<FramePiece>& Tokenizer::frame_around(std::string_view second) const {
  return second.empty() ? framing_.single() : framing_.pair();
}

Tokens Tokenizer::encode_pair(std::string_view first, std::string_view second,
                              int max_tokens) const {
  const size_t room = room_in(frame_around(second), max_tokens);
  require_utf8(first, "tokenize text", second.empty() ? "" : "first of a pair");
  if (second.empty()) return alone_in_pair(kept_pieces(first, room, Offsets::left_out));
  std::vector<int32_t> pieces_of_first;
  append_pieces(first, reading_limit(room), pieces_of_first);
  return encode_pair(std::move(pieces_of_first), second, max_tokens);
}

Tokens Tokenizer::encode_pair(std::vector<int32_t> pieces_of_first, std::string_view second,
                              int max_tokens) const {
  const size_t room = room_in(frame_around(second), max_tokens);
  require_utf8(second, "tokenize text", "second of a pair");
  std::array<Pieces, 2> parts = {Pieces{std::move(pieces_of_first)}, Pieces{}};
  if (second.empty()) {
    keep_part(parts[0], room);
    return alone_in_pair(parts[0]);
  }
  const size_t limit = reading_limit(room);
  parts[0].keep_first(limit);
  append_pieces(second, limit, parts[1].ids);
  const Lengths kept = kept_lengths(parts[0].ids.size(), parts[1].ids.size(), room);
  truncate(parts[0], kept.first);
  truncate(parts[1], kept.second);
  Tokens pair = framing_.around_pair(parts[0].ids, parts[1].ids);
  pair.truncated = parts[0].truncated || parts[1].truncated;
  return pair;
}

Encoding Tokenizer::encode_with_offsets(const Text& text, int max_tokens) const {
  const std::vector<FramePiece>& frame = frame_around(text.pair.value_or(""));
  const size_t room = room_in(frame, max_tokens);
  const std::array<std::string_view, 2> texts = {text.text, text.pair.value_or("")};
  for (const std::string_view each : texts) require_utf8(each, "tokenize text", "");
  std::array<Pieces, 2> parts;
  if (is_pair(text)) {
    for (size_t i = 0; i < parts.size(); ++i) {
      parts[i] = read_pieces(texts[i], 0, reading_limit(room), Offsets::told);
    }
    const Lengths kept = kept_lengths(parts[0].ids.size(), parts[1].ids.size(), room);
    truncate(parts[0], kept.first);
    truncate(parts[1], kept.second);
  } else {
    parts[0] = kept_pieces(text.text, room, Offsets::told);
  }
  Encoding encoding;
  for (const FramePiece& piece : frame) {
    if (piece.kind == FramePiece::Kind::special) {
      encoding.ids.push_back(piece.id);
      encoding.offsets.emplace_back();
      encoding.sources.push_back(-1);
    } else {
      const size_t source = piece.kind == FramePiece::Kind::first ? 0 : 1;
      const Pieces& part = parts[source];
      encoding.ids.insert(encoding.ids.end(), part.ids.begin(), part.ids.end());
      encoding.offsets.insert(encoding.offsets.end(), part.offsets.begin(), part.offsets.end());
      encoding.sources.resize(encoding.ids.size(), static_cast<int8_t>(source));
    }
    encoding.types.resize(encoding.ids.size(), piece.type);
  }
  encoding.truncated = parts[0].truncated || parts[1].truncated;
  if (letter_case_ && !is_pair(text)) set_letter_cases(text.text, encoding.offsets, encoding.types);
  return encoding;
}

}  // namespace headroom
