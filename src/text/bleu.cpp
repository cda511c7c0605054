#include "text/bleu.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>

namespace headroom {
namespace {

constexpr size_t longest_gram = 4;

using Counts = std::map<Words, int64_t>;

Counts count_grams(const Words& words, size_t length) {
  Counts counts;
  for (size_t begin = 0; begin + length <= words.size(); ++begin) {
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(begin);
    ++counts[Words(first, first + static_cast<std::ptrdiff_t>(length))];
  }
  return counts;
}

// How many n-grams of the translation a reference has too, each counted at most as often as in the
// reference that has it most.
int64_t confirmed_grams(const BleuSentence& sentence, size_t length) {
  Counts most;
  for (const Words& reference : sentence.references) {
    for (const auto& [gram, count] : count_grams(reference, length)) {
      most[gram] = std::max(most[gram], count);
    }
  }
  int64_t confirmed = 0;
  for (const auto& [gram, count] : count_grams(sentence.translation, length)) {
    const auto found = most.find(gram);
    if (found != most.end()) confirmed += std::min(count, found->second);
  }
  return confirmed;
}

int64_t nearest_length(const BleuSentence& sentence) {
  const auto own = static_cast<int64_t>(sentence.translation.size());
  int64_t nearest = static_cast<int64_t>(sentence.references.front().size());
  for (const Words& reference : sentence.references) {
    const auto length = static_cast<int64_t>(reference.size());
    const int64_t distance = std::abs(length - own);
    const int64_t best = std::abs(nearest - own);
    if (distance < best || (distance == best && length < nearest)) nearest = length;
  }
  return nearest;
}

}  // namespace

BleuScore corpus_bleu(const std::vector<BleuSentence>& sentences) {
  BleuScore score;
  std::array<int64_t, longest_gram> confirmed{};
  std::array<int64_t, longest_gram> all{};
  for (const BleuSentence& sentence : sentences) {
    const size_t words = sentence.translation.size();
    score.translation_words += static_cast<int64_t>(words);
    score.reference_words += nearest_length(sentence);
    for (size_t n = 0; n < longest_gram; ++n) {
      confirmed[n] += confirmed_grams(sentence, n + 1);
      all[n] += static_cast<int64_t>(words > n ? words - n : 0);
    }
  }
  double mean_log = 0;
  for (size_t n = 0; n < longest_gram; ++n) {
    if (all[n] > 0) {
      score.precisions[n] = static_cast<double>(confirmed[n]) / static_cast<double>(all[n]);
    }
    mean_log += std::log(score.precisions[n]) / longest_gram;
  }
  if (score.translation_words < score.reference_words) {
    score.brevity =
        std::exp(1 - static_cast<double>(score.reference_words) /
                         static_cast<double>(std::max<int64_t>(score.translation_words, 1)));
  }
  score.bleu = 100 * score.brevity * std::exp(mean_log);  // exp(-inf) is 0
  return score;
}

}  // namespace headroom
