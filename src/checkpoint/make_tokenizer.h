// The tokenizer that a checkpoint's vocabulary was made for.
#pragma once

#include <memory>

#include "checkpoint/config.h"
#include "text/tokenizer.h"

namespace headroom {

// With BERT's special tokens.
std::unique_ptr<Tokenizer> make_tokenizer(TokenizerKind kind, bool lower_case,
                                          Vocabulary vocabulary);

// With those of the model's family.
std::unique_ptr<Tokenizer> make_tokenizer(const ModelConfig& config, Vocabulary vocabulary);

}  // namespace headroom
