// WordLevel: a word is a token, or unknown.
#include "text/pipeline/token_model.h"

namespace headroom {
namespace {

class WordLevel : public TokenModel {
 public:
  WordLevel(const JsonFields& fields, const ModelJson& json)
      : TokenModel(TokenTable(json.vocabulary)),
        unknown_(table().require(fields.text_or("unk_token", "<unk>"), "unk_token")) {}

  void cut(std::string_view word, std::vector<WordToken>& tokens) const override {
    tokens.push_back(
        {table().find(word).value_or(unknown_), {0, static_cast<uint32_t>(word.size())}});
  }
  std::optional<int32_t> unknown() const override { return unknown_; }

 private:
  int32_t unknown_;
};

}  // namespace

std::unique_ptr<TokenModel> make_word_level(const JsonFields& fields, const ModelJson& json) {
  return std::make_unique<WordLevel>(fields, json);
}

}  // namespace headroom
