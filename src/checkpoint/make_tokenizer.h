// The tokenizer that a checkpoint's vocabulary was made for.
#pragma once

#include <memory>

#include "checkpoint/config.h"
#include "text/tokenizer.h"

namespace headroom {

std::unique_ptr<Tokenizer> make_tokenizer(TokenizerKind kind, bool lower_case,
                                          Vocabulary vocabulary);

}  // namespace headroom
