// A tokenizer whose tokens are the words of a vocabulary that it holds: what those have in common
// that look tokens up as they stand.
#pragma once

#include <utility>

#include "text/tokenizer.h"

namespace headroom {

class VocabularyTokenizer : public Tokenizer {
 public:
  explicit VocabularyTokenizer(Vocabulary vocabulary)
      : Tokenizer(vocabulary), vocabulary_(std::move(vocabulary)) {}

  const Vocabulary& vocabulary() const final { return vocabulary_; }

 private:
  Vocabulary vocabulary_;
};

}  // namespace headroom
