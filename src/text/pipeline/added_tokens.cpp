#include "text/pipeline/added_tokens.h"

#include <fmt/format.h>

#include "text/pipeline/parts.h"
#include "text/unicode/unicode.h"

namespace headroom {
namespace {

// The longest known are a few dozen bytes; every byte of a text may begin such a walk.
constexpr size_t max_content = 1000;

std::vector<std::string> contents_of(const std::vector<AddedToken>& tokens) {
  std::vector<std::string> contents;
  contents.reserve(tokens.size());
  for (const AddedToken& token : tokens) contents.push_back(token.content);
  return contents;
}

// Where the character before `position` begins.
size_t previous(std::string_view text, size_t position) {
  do {
    --position;
  } while (position > 0 && (static_cast<unsigned char>(text[position]) & 0xC0U) == 0x80U);
  return position;
}

bool touches_word(std::string_view text, TextSpan token) {
  const bool left = token.begin > 0 &&
                    is_word_character(decode_utf8(text.substr(previous(text, token.begin))).value);
  const bool right =
      token.end < text.size() && is_word_character(decode_utf8(text.substr(token.end)).value);
  return left || right;
}

}  // namespace

AddedToken read_added_token(const Json& json, int32_t id) {
  const TokenizerPart part(json, "added_tokens");
  const JsonFields& fields = part.fields();
  AddedToken token;
  token.content = fields.text("content");
  if (token.content.size() > max_content) {
    fields.fail("content", fmt::format("is longer than {} bytes", max_content));
  }
  token.id = id;
  token.single_word = fields.boolean_or("single_word", false);
  token.lstrip = fields.boolean_or("lstrip", false);
  token.rstrip = fields.boolean_or("rstrip", false);
  token.special = fields.boolean_or("special", false);
  token.normalized = fields.boolean_or("normalized", !token.special);
  return token;
}

AddedTokenSet::AddedTokenSet(std::vector<AddedToken> tokens)
    : tokens_(std::move(tokens)), trie_(contents_of(tokens_)) {
  for (const AddedToken& token : tokens_) {
    if (!token.content.empty()) begins_[static_cast<unsigned char>(token.content[0])] = true;
  }
}

std::optional<AddedTokenSet::Match> AddedTokenSet::find(std::string_view text, size_t from) const {
  for (size_t at = from; at < text.size(); ++at) {
    if (!begins_[static_cast<unsigned char>(text[at])]) continue;
    const PieceTrie::Match found = trie_.longest(PieceTrie::root, text.substr(at));
    if (found.bytes == 0) continue;
    const AddedToken& token = tokens_[static_cast<size_t>(found.id)];
    TextSpan span{static_cast<uint32_t>(at), static_cast<uint32_t>(at + found.bytes)};
    if (token.single_word && touches_word(text, span)) {
      at = span.end - 1;
      continue;
    }
    while (token.lstrip && span.begin > from) {
      const size_t before = previous(text, span.begin);
      if (!is_white_space(decode_utf8(text.substr(before)).value)) break;
      span.begin = static_cast<uint32_t>(before);
    }
    while (token.rstrip && span.end < text.size()) {
      const CodePoint behind = decode_utf8(text.substr(span.end));
      if (!is_white_space(behind.value)) break;
      span.end += static_cast<uint32_t>(behind.bytes);
    }
    return Match{span, token.id};
  }
  return std::nullopt;
}

void AddedTokenSet::cut(const AlignedText& text, std::vector<TextPiece>& pieces) const {
  size_t last = 0;
  const auto add_text = [&](size_t end) {
    if (last < end) pieces.push_back({text.slice(last, end)});
  };
  while (!tokens_.empty()) {
    const auto match = find(text.text(), last);
    if (!match) break;
    add_text(match->bytes.begin);
    pieces.push_back({text.slice(match->bytes.begin, match->bytes.end), match->id});
    last = match->bytes.end;
  }
  add_text(text.size());
}

}  // namespace headroom
