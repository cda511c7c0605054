#include "text/wordpiece/wordpiece_trainer.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.h"
#include "text/pair_merger.h"
#include "text/unicode/utf8.h"
#include "text/wordpiece/wordpiece_tokenizer.h"

namespace headroom {
namespace {

using CountedWord = std::pair<std::string_view, int64_t>;
using Symbols = std::vector<PairMerger::Symbol>;

constexpr std::string_view continuation = "##";

std::string continued(std::string_view piece) {
  return std::string(continuation).append(piece);
}

void sort_by_count(std::vector<CountedWord>& words) {
  std::sort(words.begin(), words.end(), [](const CountedWord& a, const CountedWord& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
}

std::vector<CountedWord> frequent_characters(const std::vector<CountedWord>& words,
                                             int64_t min_count) {
  std::unordered_map<std::string_view, int64_t> counts;
  for (const auto& [word, count] : words) {
    for (std::string_view rest = word; !rest.empty();) {
      const auto bytes = static_cast<size_t>(decode_utf8(rest).bytes);
      counts[rest.substr(0, bytes)] += count;
      rest.remove_prefix(bytes);
    }
  }
  std::vector<CountedWord> kept;
  for (const auto& [character, count] : counts) {
    if (count >= min_count) kept.emplace_back(character, count);
  }
  sort_by_count(kept);
  kept.resize(std::min(kept.size(), WordPieceTrainer::max_alphabet));
  return kept;
}

// The pieces so far, each once: the number of a piece is its symbol.
class Pieces {
 public:
  PairMerger::Symbol add(std::string piece) {
    const auto [entry, fresh] =
        symbols_.emplace(std::move(piece), static_cast<PairMerger::Symbol>(list_.size()));
    if (fresh) list_.push_back(entry->first);
    return entry->second;
  }
  // The two written as one piece: "oi" and "##l" are "oil".
  PairMerger::Symbol add(const PairMerger::Pair& pair) {
    return add(text(pair.first) + text(pair.second).substr(continuation.size()));
  }
  // The characters of a word; empty when one of them is not among the pieces.
  Symbols spell(std::string_view word) const {
    Symbols symbols;
    while (!word.empty()) {
      const auto bytes = static_cast<size_t>(decode_utf8(word).bytes);
      const std::string_view character = word.substr(0, bytes);
      const auto found =
          symbols_.find(symbols.empty() ? std::string(character) : continued(character));
      if (found == symbols_.end()) return {};
      symbols.push_back(found->second);
      word.remove_prefix(bytes);
    }
    return symbols;
  }
  const std::string& text(PairMerger::Symbol symbol) const {
    return list_[static_cast<size_t>(symbol)];
  }
  const std::vector<std::string>& list() const { return list_; }

 private:
  std::vector<std::string> list_;
  StringMap<PairMerger::Symbol> symbols_;
};

Pieces alphabet_of(const std::vector<CountedWord>& words, int64_t min_count) {
  Pieces pieces;
  for (const auto& [character, count] : frequent_characters(words, min_count)) {
    pieces.add(std::string(character));
    if (!stands_alone_for_bert(decode_utf8(character).value)) pieces.add(continued(character));
  }
  return pieces;
}

}  // namespace

void WordPieceTrainer::add(std::string_view text) {
  scanner_.reset(text);
  while (scanner_.next()) {
    const std::string_view word = scanner_.word();
    if (count_characters(word) > WordPieceTokenizer::max_word_characters) continue;
    const auto found = counts_.find(word);
    if (found != counts_.end()) {
      ++found->second;
    } else {
      counts_.emplace(word, 1);
    }
  }
}

Vocabulary WordPieceTrainer::train(int32_t size, int64_t min_count) const {
  const std::vector<CountedWord> words(counts_.begin(), counts_.end());
  Pieces pieces = alphabet_of(words, min_count);
  const size_t least = special_count + std::max<size_t>(pieces.list().size(), 1);
  if (size < 0 || static_cast<size_t>(size) < least ||
      static_cast<size_t>(size) > Vocabulary::max_size) {
    throw Error(ErrorCode::usage, "train vocabulary",
                fmt::format("a size of {} was asked for, expected {} (the special tokens and the "
                            "characters of the text) to {}",
                            size, least, Vocabulary::max_size));
  }
  PairMerger merger(min_count, [&](const PairMerger::Pair& a, const PairMerger::Pair& b) {
    return std::tie(pieces.text(a.first), pieces.text(a.second)) <
           std::tie(pieces.text(b.first), pieces.text(b.second));
  });
  for (const auto& [word, count] : words) merger.add_word(pieces.spell(word), count);
  while (special_count + pieces.list().size() < static_cast<size_t>(size)) {
    const std::optional<PairMerger::Pair> best = merger.best();
    if (!best) break;
    merger.merge(*best, pieces.add(*best));
  }
  return Vocabulary::with_words(pieces.list());
}

}  // namespace headroom
