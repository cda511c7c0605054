#include "checkpoint/make_tokenizer.h"

#include <utility>

#include "checkpoint/checkpoint.h"
#include "families/families.h"
#include "text/plain_tokenizer.h"
#include "text/word_tokenizer.h"
#include "text/wordpiece/wordpiece_tokenizer.h"

namespace headroom {
namespace {

// What config.json says about reading texts, beyond the vocabulary.
std::unique_ptr<Tokenizer> configured(std::unique_ptr<Tokenizer> tokenizer,
                                      const ModelConfig& config) {
  tokenizer->set_letter_case(config.letter_case);
  if (config.truncation) tokenizer->set_kept_part(*config.truncation);
  return tokenizer;
}

}  // namespace

std::unique_ptr<Tokenizer> make_tokenizer(TokenizerKind kind, bool lower_case,
                                          Vocabulary vocabulary) {
  switch (kind) {
    case TokenizerKind::wordpiece:
      return std::make_unique<WordPieceTokenizer>(std::move(vocabulary), lower_case);
    case TokenizerKind::character:
      return std::make_unique<CharacterTokenizer>(std::move(vocabulary));
    case TokenizerKind::space:
      return std::make_unique<SpaceTokenizer>(std::move(vocabulary));
    case TokenizerKind::pipeline:
      if (vocabulary.files() != nullptr) return read_tokenizer(*vocabulary.files());
      throw Error(ErrorCode::usage, "make tokenizer",
                  "a pipeline comes with a model that has a tokenizer.json: name one with --init");
    case TokenizerKind::word:
      break;
  }
  return std::make_unique<WordTokenizer>(std::move(vocabulary));
}

std::unique_ptr<Tokenizer> make_tokenizer(const ModelConfig& config, Vocabulary vocabulary) {
  if (config.tokenizer == TokenizerKind::pipeline) {  // with the special tokens of its file
    return configured(make_tokenizer(config.tokenizer, config.lower_case, std::move(vocabulary)),
                      config);
  }
  const ModelSchema& schema = schema_of(config.shape);
  Framing framing(schema.single_template, schema.pair_template, vocabulary);
  auto tokenizer = make_tokenizer(config.tokenizer, config.lower_case, std::move(vocabulary));
  tokenizer->set_framing(std::move(framing));
  return configured(std::move(tokenizer), config);
}

std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& directory,
                                          const ModelConfig& config) {
  if (config.tokenizer != TokenizerKind::pipeline) {
    return make_tokenizer(config, read_vocabulary(directory, config));
  }
  auto tokenizer = read_tokenizer(read_tokenizer_files(directory));
  require_rows_for(tokenizer->vocabulary(), config);
  return configured(std::move(tokenizer), config);
}

std::map<std::string, std::string> named_files(const TokenizerFiles& files) {
  std::map<std::string, std::string> named;
  if (!files.tokenizer_json.empty()) named["tokenizer.json"] = files.tokenizer_json;
  if (!files.tokenizer_config.empty()) named["tokenizer_config.json"] = files.tokenizer_config;
  return named;
}

std::map<std::string, std::string> tokenizer_files(const Vocabulary& vocabulary) {
  return named_files(vocabulary.files() != nullptr ? *vocabulary.files() : TokenizerFiles{});
}

}  // namespace headroom
