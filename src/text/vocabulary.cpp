#include "text/vocabulary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "text/unicode/unicode.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace {

constexpr std::array<std::string_view, special_count> special_tokens = {
    pad_token, unknown_token, cls_token, sep_token, mask_token};

[[noreturn]] void fail(std::string_view origin, std::string_view message) {
  throw Error(ErrorCode::bad_model, "read vocabulary", fmt::format("{}: {}", origin, message));
}

bool has_space(std::string_view token) {
  while (!token.empty()) {
    const CodePoint point = decode_utf8(token);
    if (is_blank(point.value)) return true;
    token.remove_prefix(static_cast<size_t>(point.bytes));
  }
  return false;
}

// For messages, which a control character would end or scatter over the screen.
std::string without_control(std::string_view token) {
  std::string shown(token);
  std::replace_if(
      shown.begin(), shown.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return shown;
}

void check_token(std::string_view token, std::string_view origin, size_t line) {
  const auto complain = [&](std::string_view what) {
    fail(origin, fmt::format("line {} {}", line, what));
  };
  if (token.empty()) complain("is empty; each line holds one token");
  if (token.size() > Vocabulary::max_token_bytes) {
    complain(fmt::format("is {} bytes long, more than the limit of {}; is this a vocabulary?",
                         token.size(), Vocabulary::max_token_bytes));
  }
  if (find_invalid_utf8(token)) complain("is not valid UTF-8");
  if (has_space(token)) {
    complain(fmt::format("(\"{}\") holds a space or control character", without_control(token)));
  }
}

}  // namespace

bool is_special_token(std::string_view token) {
  return std::find(special_tokens.begin(), special_tokens.end(), token) != special_tokens.end();
}

Vocabulary::Vocabulary(std::vector<std::string> tokens, std::string_view origin)
    : tokens_(std::move(tokens)) {
  if (tokens_.size() > max_size) {
    fail(origin, fmt::format("has {} tokens, more than the limit of {}", tokens_.size(), max_size));
  }
  ids_.reserve(tokens_.size());
  for (size_t i = 0; i < tokens_.size(); ++i) {
    check_token(tokens_[i], origin, i + 1);
    const auto [entry, fresh] = ids_.emplace(tokens_[i], static_cast<int32_t>(i));
    if (!fresh) {
      fail(origin,
           fmt::format("line {} repeats \"{}\" of line {}", i + 1, tokens_[i], entry->second + 1));
    }
  }
  const auto required = [&](std::string_view token) {
    const std::optional<int32_t> id = find(token);
    if (!id) fail(origin, fmt::format("has no {} token; is this a BERT-style vocabulary?", token));
    return *id;
  };
  pad_ = required(pad_token);
  unknown_ = required(unknown_token);
  cls_ = required(cls_token);
  sep_ = required(sep_token);
  mask_ = find(mask_token);
}

Vocabulary Vocabulary::with_words(const std::vector<std::string>& words) {
  std::vector<std::string> tokens(special_tokens.begin(), special_tokens.end());
  tokens.insert(tokens.end(), words.begin(), words.end());
  return {std::move(tokens), "list of words"};
}

Vocabulary Vocabulary::with_ids(std::vector<std::string> tokens, const SpecialIds& special) {
  Vocabulary vocabulary;
  vocabulary.tokens_ = std::move(tokens);
  vocabulary.ids_.reserve(vocabulary.tokens_.size());
  for (size_t i = 0; i < vocabulary.tokens_.size(); ++i) {
    const std::string& token = vocabulary.tokens_[i];
    if (!token.empty()) vocabulary.ids_.emplace(token, static_cast<int32_t>(i));
  }
  vocabulary.pad_ = special.pad;
  vocabulary.unknown_ = special.unknown;
  vocabulary.cls_ = special.cls;
  vocabulary.sep_ = special.sep;
  if (special.mask >= 0) vocabulary.mask_ = special.mask;
  return vocabulary;
}

Vocabulary Vocabulary::from_text(std::string_view text, std::string_view origin) {
  std::vector<std::string> tokens;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    tokens.emplace_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (tokens.size() > max_size) break;  // the constructor complains; no need to read on
  }
  if (tokens.empty()) fail(origin, "is empty");
  return {std::move(tokens), origin};
}

std::string Vocabulary::to_text() const {
  std::string text;
  if (files_) return text;
  for (const std::string& token : tokens_) text.append(token).push_back('\n');
  return text;
}

std::optional<int32_t> Vocabulary::find(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

int32_t Vocabulary::id(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? unknown_ : found->second;
}

const std::string& Vocabulary::token(int32_t id) const {
  if (id < 0 || id >= size()) {
    throw Error(ErrorCode::usage, "look up token",
                fmt::format("id {} is not in a vocabulary of {}", id, size()));
  }
  return tokens_[static_cast<size_t>(id)];
}

void VocabularyBuilder::add(std::string_view text) {
  scanner_.reset(text);
  while (scanner_.next()) {
    if (scanner_.word().size() > max_word_bytes) continue;
    const auto found = counts_.find(scanner_.word());
    if (found != counts_.end()) {
      ++found->second;
    } else {
      counts_.emplace(scanner_.word(), 1);
    }
  }
}

Vocabulary VocabularyBuilder::build(int32_t max_size, int64_t min_count) const {
  if (max_size <= special_count || static_cast<size_t>(max_size) > Vocabulary::max_size) {
    throw Error(ErrorCode::usage, "build vocabulary",
                fmt::format("a size of {} was asked for, expected {} to {}", max_size,
                            special_count + 1, Vocabulary::max_size));
  }
  std::vector<std::pair<std::string_view, int64_t>> kept;
  for (const auto& [word, count] : counts_) {
    if (count >= min_count) kept.emplace_back(word, count);
  }
  std::sort(kept.begin(), kept.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  kept.resize(std::min(kept.size(), static_cast<size_t>(max_size - special_count)));
  std::vector<std::string> words;
  words.reserve(kept.size());
  for (const auto& [word, count] : kept) words.emplace_back(word);
  return Vocabulary::with_words(words);
}

}  // namespace headroom
