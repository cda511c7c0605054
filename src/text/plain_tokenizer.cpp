#include "text/plain_tokenizer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "text/unicode/unicode.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> pictures = {{
    {" ", "\u2420"},
    {"\n", "\u2424"},
    {"\t", "\u2409"},
}};

// How a vocabulary spells a character; nothing where it cannot.
std::optional<std::string_view> spelled(std::string_view character) {
  for (const auto& [plain, picture] : pictures) {
    if (plain == character) return picture;
  }
  if (is_blank(decode_utf8(character).value)) return std::nullopt;
  return character;
}

// Calls `take` with every character of valid UTF-8 until it says false.
template <typename Take>
void walk_characters(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const auto bytes = static_cast<size_t>(decode_utf8(text).bytes);
    if (!take(text.substr(0, bytes))) return;
    text.remove_prefix(bytes);
  }
}

// Calls `take` with every token, and with "\n" at the end of a line, until it says false.
template <typename Take>
void walk_spaced(std::string_view text, const Take& take) {
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" \n\r\t"), text.size());
    if (end > 0 && !take(text.substr(0, end))) return;
    if (end < text.size() && text[end] == '\n' && !take(text.substr(end, 1))) return;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

TextSpan span_of(std::string_view part, std::string_view text) {
  const auto begin = static_cast<uint32_t>(part.data() - text.data());
  return {begin, begin + static_cast<uint32_t>(part.size())};
}

class TokenCounts {
 public:
  void add(std::string_view token) {
    const auto found = counts_.find(token);
    if (found != counts_.end()) {
      ++found->second;
    } else {
      counts_.emplace(token, 1);
    }
  }

  // Most frequent first; equal counts in byte order.
  Vocabulary most_frequent(size_t size, int64_t min_count) const {
    std::vector<std::pair<std::string, int64_t>> kept;
    for (const auto& [token, count] : counts_) {
      if (count >= min_count && !is_special_token(token)) kept.emplace_back(token, count);
    }
    std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    kept.resize(std::min(kept.size(), size));
    std::vector<std::string> tokens;
    tokens.reserve(kept.size());
    for (auto& [token, count] : kept) tokens.push_back(std::move(token));
    return Vocabulary::with_words(tokens);
  }

 private:
  StringMap<int64_t> counts_;
};

}  // namespace

void CharacterTokenizer::append_pieces(std::string_view text, size_t limit,
                                       std::vector<int32_t>& ids) const {
  const size_t most = ids.size() + limit;
  walk_characters(text, [&](std::string_view character) {
    if (ids.size() >= most) return false;
    const auto token = spelled(character);
    ids.push_back(token ? vocabulary().id(*token) : vocabulary().unknown_id());
    return true;
  });
}

void CharacterTokenizer::append_with_spans(std::string_view text, size_t limit,
                                           std::vector<int32_t>& ids,
                                           std::vector<TextSpan>& spans) const {
  append_pieces(text, limit, ids);
  walk_characters(text, [&](std::string_view character) {
    if (spans.size() == ids.size()) return false;
    spans.push_back(span_of(character, text));
    return true;
  });
}

std::string CharacterTokenizer::join(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) {
    const std::string_view token = vocabulary().token(id);
    const auto* picture = std::find_if(pictures.begin(), pictures.end(),
                                       [&](const auto& each) { return each.second == token; });
    if (picture != pictures.end()) {
      text += picture->first;
    } else if (!is_special_token(token)) {
      text += token;
    }
  }
  return text;
}

Vocabulary CharacterTokenizer::build(std::string_view text) {
  TokenCounts counts;
  walk_characters(text, [&](std::string_view character) {
    if (const auto token = spelled(character)) counts.add(*token);
    return true;
  });
  return counts.most_frequent(Vocabulary::max_size - special_count, 1);
}

void SpaceTokenizer::append_pieces(std::string_view text, size_t limit,
                                   std::vector<int32_t>& ids) const {
  const size_t most = ids.size() + limit;
  walk_spaced(text, [&](std::string_view token) {
    if (ids.size() >= most) return false;
    ids.push_back(token == "\n" ? vocabulary().sep_id() : vocabulary().id(token));
    return true;
  });
}

void SpaceTokenizer::append_with_spans(std::string_view text, size_t limit,
                                       std::vector<int32_t>& ids,
                                       std::vector<TextSpan>& spans) const {
  append_pieces(text, limit, ids);
  walk_spaced(text, [&](std::string_view token) {
    if (spans.size() == ids.size()) return false;
    spans.push_back(span_of(token, text));
    return true;
  });
}

std::string SpaceTokenizer::join(std::span<const int32_t> ids) const {
  std::string text;
  for (const int32_t id : ids) {
    if (id == vocabulary().sep_id()) {
      text += '\n';
    } else if (id != vocabulary().pad_id() && id != vocabulary().cls_id()) {
      if (!text.empty() && text.back() != '\n') text += ' ';
      text += vocabulary().token(id);
    }
  }
  return text;
}

Vocabulary SpaceTokenizer::build(std::string_view text, int32_t max_size, int64_t min_count) {
  TokenCounts counts;
  walk_spaced(text, [&](std::string_view token) {
    if (token != "\n" && token.size() <= Vocabulary::max_token_bytes) counts.add(token);
    return true;
  });
  const int32_t words = std::max(max_size - special_count, 1);
  return counts.most_frequent(static_cast<size_t>(words), min_count);
}

}  // namespace headroom
