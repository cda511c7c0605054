// One token per word (text/words.h); a word that the vocabulary does not hold becomes [UNK].
#pragma once

#include "text/vocabulary_tokenizer.h"

namespace headroom {

class WordTokenizer : public VocabularyTokenizer {
 public:
  using VocabularyTokenizer::VocabularyTokenizer;

 protected:
  void append_pieces(std::string_view text, size_t limit, std::vector<int32_t>& ids) const override;
  void append_with_spans(std::string_view text, size_t limit, std::vector<int32_t>& ids,
                         std::vector<TextSpan>& spans) const override;
};

}  // namespace headroom
