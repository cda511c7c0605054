// The "marked-token" task: somewhere in a row of noise stands one true marker followed by the
// answer; decoy markers, each followed by a wrong or right value, try to mislead. Attention must
// find the marker and read its neighbour, so heads matter and can be counted. With several kinds of
// true marker, of which a row has one, the answer to kind k stands k places further on, among as
// many wrong ones: each distance is a way of attending of its own, so more heads are needed. Row i
// is a pure function of (task, seed, i): there is no file, and any row can be made at any time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "text/vocabulary.h"

namespace headroom {

struct SyntheticTask {
  int tokens = 128;       // symbols in a row
  int decoys = 6;         // decoy markers in a row, each with its values
  int values = 8;         // possible answers: the classes
  int decoy_markers = 3;  // different decoy markers
  int symbols = 64;       // different noise symbols
  int markers = 1;        // kinds of true marker; every marker has as many values behind it

  bool operator==(const SyntheticTask&) const = default;
};

struct SyntheticRow {
  std::vector<int32_t> symbols;  // SyntheticTask::tokens of them
  int32_t label = 0;             // the value behind the true marker that its kind points at
};

// Throws ErrorCode::usage when a number is out of range or the markers do not fit in the row.
void validate(const SyntheticTask& task);

// The same task in shorter rows, with proportionally fewer decoys (at least one when there are any
// and one more marker with its values fits).
SyntheticTask shortened(const SyntheticTask& task, int tokens);

// Symbols in order: true markers, decoy markers, values, noise.
int symbol_count(const SyntheticTask& task);

// "marker" ("marker2" where there are several), "decoy1", "value3", "noise17": each is one word of
// text/words.h. Counted from 0.
std::string symbol_name(const SyntheticTask& task, int symbol);

SyntheticRow synthetic_row(const SyntheticTask& task, uint64_t seed, uint64_t index);
std::string to_text(const SyntheticTask& task, const SyntheticRow& row);

// The special tokens, then the symbols: the id of a symbol is symbol + special_count.
Vocabulary synthetic_vocabulary(const SyntheticTask& task);
std::vector<std::string> synthetic_labels(const SyntheticTask& task);  // "value0", "value1", ...

}  // namespace headroom
