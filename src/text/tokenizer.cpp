#include "text/tokenizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace {

void require_room(int max_tokens, int least) {
  if (max_tokens >= least) return;
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
  require_room(max_tokens, 2);
  require_utf8(text, "tokenize text", "");
  std::vector<int32_t> ids = {vocabulary().cls_id()};
  append_pieces(text, static_cast<size_t>(max_tokens) - 2, ids);
  ids.push_back(vocabulary().sep_id());
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
  require_room(max_tokens, 3);
  require_utf8(first, "tokenize text", "first of a pair");
  require_utf8(second, "tokenize text", "second of a pair");
  const size_t room = static_cast<size_t>(max_tokens) - 3;
  std::vector<int32_t> ids = {vocabulary().cls_id()};
  append_pieces(first, room, ids);
  std::vector<int32_t> rest;
  append_pieces(second, room, rest);

  const size_t kept = kept_of_first(ids.size() - 1, rest.size(), room);
  ids.resize(1 + kept);
  rest.resize(std::min(rest.size(), room - kept));
  ids.push_back(vocabulary().sep_id());
  EncodedPair pair;
  pair.types.assign(ids.size(), 0);
  ids.insert(ids.end(), rest.begin(), rest.end());
  ids.push_back(vocabulary().sep_id());
  pair.types.resize(ids.size(), 1);
  pair.ids = std::move(ids);
  return pair;
}

}  // namespace headroom
