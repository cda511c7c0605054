// The third step of a tokenizer read from tokenizer.json: cuts a word into tokens of the
// vocabulary. Each kind is a file of models/ and a line in token_model.cpp's table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "text/pipeline/aligned_text.h"
#include "text/vocabulary.h"

namespace headroom {

struct WordToken {
  int32_t id = 0;
  TextSpan bytes;  // of the word
};

// Tokens and their ids, read from {"token": id, ...} or [["token", score], ...].
class TokenTable {
 public:
  // Throws ErrorCode::bad_model when ids are missing twice, out of range or beyond what a
  // vocabulary may have.
  explicit TokenTable(const SortedJson& vocabulary);

  const std::vector<std::string>& tokens() const { return tokens_; }  // an id without one: empty
  const std::vector<double>& scores() const { return scores_; }       // of a list, by id
  std::optional<int32_t> find(std::string_view token) const;
  int32_t require(std::string_view token, std::string_view what) const;

 private:
  void read_ids(const SortedJson& map);
  void read_scores(const SortedJson& list);

  std::vector<std::string> tokens_;
  std::vector<double> scores_;
  StringMap<int32_t> ids_;
};

class TokenModel {
 public:
  explicit TokenModel(TokenTable table) : table_(std::move(table)) {}
  virtual ~TokenModel() = default;
  // Appends the tokens of a word, which is not empty. Thread-safe.
  virtual void cut(std::string_view word, std::vector<WordToken>& tokens) const = 0;
  virtual std::optional<int32_t> unknown() const = 0;

  const TokenTable& table() const { return table_; }

 private:
  TokenTable table_;
};

// tokenizer.json's "model", its large parts apart: a Json finds a key by walking over all of them.
struct ModelJson {
  Json fields;
  SortedJson vocabulary;
  SortedJson merges;
};

// Throws ErrorCode::bad_model for what is not known here.
std::unique_ptr<TokenModel> make_token_model(const ModelJson& json);

std::unique_ptr<TokenModel> make_bpe(const JsonFields& fields, const ModelJson& json);
std::unique_ptr<TokenModel> make_unigram(const JsonFields& fields, const ModelJson& json);
std::unique_ptr<TokenModel> make_word_level(const JsonFields& fields, const ModelJson& json);
std::unique_ptr<TokenModel> make_wordpiece(const JsonFields& fields, const ModelJson& json);

}  // namespace headroom
