// The merging half of byte-pair encoding: words as sequences of symbols, and which two neighbours
// occur most often. Symbols are numbers; what they stand for is the caller's affair, but for the
// order between equally frequent pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

namespace headroom {

class PairMerger {
 public:
  using Symbol = int32_t;
  using Pair = std::pair<Symbol, Symbol>;
  using Before = std::function<bool(const Pair&, const Pair&)>;

  // Pairs seen less than `min_count` times are never offered. `before` orders the pairs of equal
  // count; it must be a strict order in which no two are equal.
  PairMerger(int64_t min_count, Before before);

  void add_word(const std::vector<Symbol>& symbols, int64_t count);

  // The most frequent pair, or nothing when none is frequent enough.
  std::optional<Pair> best();

  // Makes every `pair` one `merged`, from left to right.
  void merge(const Pair& pair, Symbol merged);

 private:
  struct Word {
    size_t first;  // its symbols are symbols_[first, first + length)
    size_t length;
    int64_t count;
  };
  struct Occurrences {
    int64_t count = 0;
    std::vector<size_t> words;  // that held the pair at some time; may name words that no longer do
  };
  struct Candidate {
    int64_t count;
    Pair pair;
  };
  struct PairHash {
    size_t operator()(const Pair& pair) const;
  };
  using Queue = std::priority_queue<Candidate, std::vector<Candidate>,
                                    std::function<bool(const Candidate&, const Candidate&)>>;

  Pair pair_at(size_t index) const { return {symbols_[index], symbols_[index + 1]}; }
  bool holds(const Word& word, const Pair& pair) const;
  void count_pairs(const Word& word, int64_t times);
  void replace(Word& word, const Pair& pair, Symbol merged);
  void offer(const Pair& pair);

  int64_t min_count_;
  std::vector<Symbol> symbols_;
  std::vector<Word> words_;
  std::unordered_map<Pair, Occurrences, PairHash> pairs_;
  // Lazy: an entry may be outdated, because counts fall without being queued again. It is then too
  // high, never too low, so that looking at the top suffices.
  Queue queue_;
  bool queued_ = false;
};

}  // namespace headroom
