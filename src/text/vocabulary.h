// The tokens a model knows, each with its number. The text form is BERT's vocab.txt: one token a
// line, the line number (from 0) is the id.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "text/words.h"

namespace headroom {

inline constexpr std::string_view pad_token = "[PAD]";
inline constexpr std::string_view unknown_token = "[UNK]";
inline constexpr std::string_view cls_token = "[CLS]";
inline constexpr std::string_view sep_token = "[SEP]";
inline constexpr std::string_view mask_token = "[MASK]";

// Ids of the special tokens in the vocabularies that we build. An imported vocabulary may place
// them elsewhere (BERT's [CLS] is 101): outside this layer ask the Vocabulary.
inline constexpr int32_t built_pad_id = 0;
inline constexpr int32_t built_unknown_id = 1;
inline constexpr int32_t built_cls_id = 2;
inline constexpr int32_t built_sep_id = 3;
inline constexpr int32_t built_mask_id = 4;
inline constexpr int32_t special_count = 5;

// Whether a token is one of the five above.
bool is_special_token(std::string_view token);

// Lets maps keyed by std::string be asked with a std::string_view, without a copy.
struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};
template <typename Value>
using StringMap = std::unordered_map<std::string, Value, StringHash, std::equal_to<>>;

// What a vocabulary uses some of its tokens for; -1: it has none.
struct SpecialIds {
  int32_t pad = -1;
  int32_t unknown = -1;
  int32_t cls = -1;
  int32_t sep = -1;
  int32_t mask = -1;
};

// The contents of a model folder's files that describe a tokenizer; an empty one is not there.
struct TokenizerFiles {
  std::string tokenizer_json;
  std::string tokenizer_config;
  bool empty() const { return tokenizer_json.empty(); }
};

class Vocabulary {
 public:
  static constexpr size_t max_size = 1'000'000;    // 8x the largest multilingual BERT vocabulary
  static constexpr size_t max_token_bytes = 1000;  // far above any word; bounds a damaged file
  // The largest multilingual files are 3 MB; a tokenizer takes up to 40 bytes of memory for each.
  static constexpr size_t max_text_bytes = size_t{16} << 20;

  // The five special tokens followed by `words`, in that order.
  static Vocabulary with_words(const std::vector<std::string>& words);

  // Tokens of any form, such as a tokenizer.json has; those that are empty cannot be found.
  static Vocabulary with_ids(std::vector<std::string> tokens, const SpecialIds& special);

  // Reads the text form. Throws ErrorCode::bad_model naming `origin` and the line.
  static Vocabulary from_text(std::string_view text, std::string_view origin = "vocab.txt");

  std::string to_text() const;  // empty where there are files()

  // Where it is a part of a tokenizer that no list of tokens can tell: all of that.
  void set_files(TokenizerFiles files) {
    files_ = std::make_shared<const TokenizerFiles>(std::move(files));
  }
  const TokenizerFiles* files() const { return files_.get(); }

  int32_t size() const { return static_cast<int32_t>(tokens_.size()); }
  std::optional<int32_t> find(std::string_view token) const;
  int32_t id(std::string_view token) const;    // the id of [UNK] for a token that is not here
  const std::string& token(int32_t id) const;  // throws ErrorCode::usage when out of range
  const std::vector<std::string>& tokens() const { return tokens_; }

  // Each is -1 where a tokenizer.json has none.
  int32_t pad_id() const { return pad_; }
  int32_t unknown_id() const { return unknown_; }
  int32_t cls_id() const { return cls_; }
  int32_t sep_id() const { return sep_; }
  std::optional<int32_t> mask_id() const { return mask_; }  // only pretraining needs one

  bool operator==(const Vocabulary& other) const { return tokens_ == other.tokens_; }

 private:
  Vocabulary() = default;
  Vocabulary(std::vector<std::string> tokens, std::string_view origin);

  std::vector<std::string> tokens_;
  StringMap<int32_t> ids_;
  int32_t pad_ = 0;
  int32_t unknown_ = 0;
  int32_t cls_ = 0;
  int32_t sep_ = 0;
  std::optional<int32_t> mask_;
  std::shared_ptr<const TokenizerFiles> files_;
};

// Counts words and keeps the frequent ones.
class VocabularyBuilder {
 public:
  // Longer words are strings of noise (URLs, base64), never worth an embedding.
  static constexpr size_t max_word_bytes = 100;

  // Throws ErrorCode::bad_data when the text is not UTF-8.
  void add(std::string_view text);

  // At most `max_size` tokens (the special ones included), of words seen at least `min_count`
  // times, most frequent first; equal counts in byte order, so that the same texts in any order
  // give the same vocabulary.
  Vocabulary build(int32_t max_size, int64_t min_count = 1) const;

 private:
  StringMap<int64_t> counts_;
  WordScanner scanner_;
};

}  // namespace headroom
