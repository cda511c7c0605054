#include "checkpoint/make_tokenizer.h"

#include <utility>

#include "text/word_tokenizer.h"
#include "text/wordpiece_tokenizer.h"

namespace headroom {

std::unique_ptr<Tokenizer> make_tokenizer(TokenizerKind kind, bool lower_case,
                                          Vocabulary vocabulary) {
  if (kind == TokenizerKind::wordpiece) {
    return std::make_unique<WordPieceTokenizer>(std::move(vocabulary), lower_case);
  }
  return std::make_unique<WordTokenizer>(std::move(vocabulary));
}

}  // namespace headroom
