#include "checkpoint/make_tokenizer.h"

#include <fmt/format.h>

#include <utility>

#include "checkpoint/checkpoint.h"
#include "families/families.h"
#include "text/plain_tokenizer.h"
#include "text/word_tokenizer.h"
#include "text/wordpiece_tokenizer.h"

namespace headroom {

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
      throw Error(ErrorCode::usage, "make tokenizer",
                  "a pipeline comes with a model that has a tokenizer.json: name one with --init");
    case TokenizerKind::word:
      break;
  }
  return std::make_unique<WordTokenizer>(std::move(vocabulary));
}

std::unique_ptr<Tokenizer> make_tokenizer(const ModelConfig& config, Vocabulary vocabulary) {
  const ModelSchema& schema = schema_of(config.shape);
  Framing framing(schema.single_template, schema.pair_template, vocabulary);
  auto tokenizer = make_tokenizer(config.tokenizer, config.lower_case, std::move(vocabulary));
  tokenizer->set_framing(std::move(framing));
  return tokenizer;
}

std::unique_ptr<Tokenizer> load_tokenizer(const std::filesystem::path& directory,
                                          const ModelConfig& config) {
  if (config.tokenizer != TokenizerKind::pipeline) {
    return make_tokenizer(config, read_vocabulary(directory, config));
  }
  auto tokenizer = read_tokenizer(read_tokenizer_files(directory));
  const int64_t tokens = tokenizer->vocabulary().size();
  if (tokens > config.shape.vocabulary) {
    throw Error(ErrorCode::bad_model, "read tokenizer.json",
                fmt::format("{} tokens, but config.json says vocab_size = {}: files of two models?",
                            tokens, config.shape.vocabulary));
  }
  return tokenizer;
}

TokenizerFiles read_tokenizer_files(const std::filesystem::path& directory) {
  TokenizerFiles files;
  files.tokenizer_json = read_checkpoint_file(directory / "tokenizer.json", max_tokenizer_json);
  if (std::filesystem::exists(directory / "tokenizer_config.json")) {
    files.tokenizer_config =
        read_checkpoint_file(directory / "tokenizer_config.json", max_tokenizer_config);
  }
  return files;
}

std::map<std::string, std::string> named_files(const TokenizerFiles& files) {
  std::map<std::string, std::string> named;
  if (!files.tokenizer_json.empty()) named["tokenizer.json"] = files.tokenizer_json;
  if (!files.tokenizer_config.empty()) named["tokenizer_config.json"] = files.tokenizer_config;
  return named;
}

}  // namespace headroom
