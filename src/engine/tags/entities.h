// From tags to entities, as Transformers' token-classification pipeline finds them: pieces become
// words, words that go on become an entity.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_table.h"
#include "headroom/types.h"

namespace headroom {

inline constexpr auto aggregation_table = enum_table<Aggregation>(
    "aggregation", {{Aggregation::simple, "simple", "every piece keeps its own tag"},
                    {Aggregation::first, "first", "of a word's first piece"},
                    {Aggregation::average, "average", "of the mean of its pieces' scores"},
                    {Aggregation::max, "max", "of the surest piece"}});

struct ScoredPiece {
  int64_t start = 0;  // characters of the text
  int64_t end = 0;
  bool continues = false;          // the word that began before it
  std::span<const double> scores;  // one per label
};

// Labels are B-X and I-X (IOB1 or IOB2), with E-X and S-X (IOBES) or L-X and U-X (BILOU), or X
// alone, which goes on as long as it is repeated; O is nothing. `text` is UTF-8.
std::vector<Entity> find_entities(std::string_view text, std::span<const ScoredPiece> pieces,
                                  const std::vector<std::string>& labels, Aggregation aggregation);

// Where each character begins, and behind them where the text ends.
std::vector<size_t> character_starts(std::string_view text);

}  // namespace headroom
