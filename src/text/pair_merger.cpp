#include "text/pair_merger.h"

#include <algorithm>

namespace headroom {

PairMerger::PairMerger(int64_t min_count, Before before)
    : min_count_(std::max<int64_t>(min_count, 1)),
      queue_([before = std::move(before)](const Candidate& a, const Candidate& b) {
        return a.count != b.count ? a.count < b.count : before(b.pair, a.pair);
      }) {}

size_t PairMerger::PairHash::operator()(const Pair& pair) const {
  // Symbols are small and dense: a multiplication by 2^64 / golden ratio spreads them (Knuth 6.4).
  const uint64_t both = (static_cast<uint64_t>(static_cast<uint32_t>(pair.first)) << 32U) |
                        static_cast<uint32_t>(pair.second);
  const uint64_t spread = both * 0x9E3779B97F4A7C15ULL;
  return static_cast<size_t>(spread ^ (spread >> 32U));
}

void PairMerger::add_word(const std::vector<Symbol>& symbols, int64_t count) {
  if (symbols.size() < 2) return;
  const Word word{symbols_.size(), symbols.size(), count};
  symbols_.insert(symbols_.end(), symbols.begin(), symbols.end());
  for (size_t i = 0; i + 1 < word.length; ++i) {
    Occurrences& occurrences = pairs_[pair_at(word.first + i)];
    occurrences.count += count;
    if (occurrences.words.empty() || occurrences.words.back() != words_.size()) {
      occurrences.words.push_back(words_.size());
    }
  }
  words_.push_back(word);
  queued_ = false;
}

void PairMerger::offer(const Pair& pair) {
  const auto found = pairs_.find(pair);
  if (found == pairs_.end() || found->second.count < min_count_) return;
  queue_.push({found->second.count, pair});
}

std::optional<PairMerger::Pair> PairMerger::best() {
  if (!queued_) {
    for (const auto& [pair, occurrences] : pairs_) offer(pair);
    queued_ = true;
  }
  while (!queue_.empty()) {
    const Candidate top = queue_.top();
    const auto found = pairs_.find(top.pair);
    const int64_t count = found == pairs_.end() ? 0 : found->second.count;
    if (count == top.count) return top.pair;
    queue_.pop();
    if (count < top.count) offer(top.pair);
  }
  return std::nullopt;
}

bool PairMerger::holds(const Word& word, const Pair& pair) const {
  for (size_t i = 0; i + 1 < word.length; ++i) {
    if (pair_at(word.first + i) == pair) return true;
  }
  return false;
}

void PairMerger::count_pairs(const Word& word, int64_t times) {
  for (size_t i = 0; i + 1 < word.length; ++i) pairs_[pair_at(word.first + i)].count += times;
}

void PairMerger::replace(Word& word, const Pair& pair, Symbol merged) {
  size_t kept = 0;
  for (size_t i = 0; i < word.length; ++i) {
    const bool here = i + 1 < word.length && pair_at(word.first + i) == pair;
    symbols_[word.first + kept++] = here ? merged : symbols_[word.first + i];
    if (here) ++i;
  }
  word.length = kept;
}

void PairMerger::merge(const Pair& pair, Symbol merged) {
  const auto found = pairs_.find(pair);
  if (found == pairs_.end()) return;
  const std::vector<size_t> touched = std::move(found->second.words);
  std::vector<Pair> risen;
  for (const size_t index : touched) {
    Word& word = words_[index];
    if (!holds(word, pair)) continue;
    count_pairs(word, -word.count);
    replace(word, pair, merged);
    count_pairs(word, word.count);
    // Only pairs with the merged symbol can have become more frequent.
    for (size_t i = 0; i + 1 < word.length; ++i) {
      const Pair fresh = pair_at(word.first + i);
      if (fresh.first != merged && fresh.second != merged) continue;
      std::vector<size_t>& words = pairs_[fresh].words;
      if (words.empty() || words.back() != index) words.push_back(index);
      risen.push_back(fresh);
    }
  }
  pairs_.erase(pair);
  std::sort(risen.begin(), risen.end());
  risen.erase(std::unique(risen.begin(), risen.end()), risen.end());
  for (const Pair& each : risen) offer(each);
}

}  // namespace headroom
