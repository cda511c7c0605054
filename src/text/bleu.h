// BLEU (Papineni et al. 2002) of a whole corpus: the geometric mean of the shares of 1- to 4-grams
// that references confirm, times a penalty for being short.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headroom {

using Words = std::vector<std::string>;

struct BleuSentence {
  Words translation;
  std::vector<Words> references;  // at least one
};

struct BleuScore {
  double bleu = 0;  // 0 to 100; 0 without a confirmed 4-gram, there is no smoothing
  double precisions[4] =
      {};              // shares of 1- to 4-grams, each counted as often as a reference has it
  double brevity = 1;  // exp(1 - reference / translation) where that is shorter
  int64_t translation_words = 0;
  int64_t reference_words = 0;  // per sentence, the reference nearest in length, the shorter of two
};

BleuScore corpus_bleu(const std::vector<BleuSentence>& sentences);

}  // namespace headroom
