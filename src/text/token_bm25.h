// BM25 of a query and a passage that were tokenised as one pair: what a ranker may add to its
// network's score. It needs no index: how rare tokens are was counted on the passages of training,
// so that a pair's score depends on no other pair.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headroom {

struct TokenBm25 {
  static constexpr double steps = 16;  // of rarity, in a unit: an error of 0.03 where rare is 8

  int32_t separator = 0;        // the token between the query and the passage
  double mean_tokens = 1;       // of a passage
  std::vector<uint8_t> rarity;  // of each token times `steps`; 0 for special ones

  // Of [CLS] query [SEP] passage [SEP]; 0 where there is no passage.
  double score(std::span<const int32_t> pair) const;

  bool operator==(const TokenBm25&) const = default;
};

// Counts tokens of the distinct passages among `pairs`. `special` tokens match nothing, the
// separator among them.
TokenBm25 count_tokens(std::span<const std::span<const int32_t>> pairs, int32_t separator,
                       std::span<const int32_t> special, int64_t vocabulary);

}  // namespace headroom
