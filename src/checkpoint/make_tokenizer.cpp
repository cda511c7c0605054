#include "checkpoint/make_tokenizer.h"

#include <utility>

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

}  // namespace headroom
