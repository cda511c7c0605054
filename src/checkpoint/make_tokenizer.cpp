#include "checkpoint/make_tokenizer.h"

#include <utility>

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

}  // namespace headroom
