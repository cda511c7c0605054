#include "data/formats/synthetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "base/error.h"
#include "base/random.h"

namespace headroom {
namespace {

constexpr int marker_symbol = 0;

// Where each kind of symbol starts, in the order of the header.
int first_decoy() {
  return marker_symbol + 1;
}
int first_value(const SyntheticTask& task) {
  return first_decoy() + task.decoy_markers;
}
int first_noise(const SyntheticTask& task) {
  return first_value(task) + task.values;
}

int32_t draw(Random& random, int first, int count) {
  return static_cast<int32_t>(first + static_cast<int>(random.below(static_cast<uint64_t>(count))));
}

// Uniform starts for `pairs` non-overlapping pairs of neighbours: glue each pair into one item,
// choose which of the tokens - pairs items are pairs (selection sampling, Knuth 3.4.2 S), and
// spread out again. Every arrangement is equally likely.
std::vector<int> draw_pair_starts(Random& random, int tokens, int pairs) {
  std::vector<int> starts;
  const int items = tokens - pairs;
  int wanted = pairs;
  for (int item = 0; item < items && wanted > 0; ++item) {
    if (random.below(static_cast<uint64_t>(items - item)) >= static_cast<uint64_t>(wanted))
      continue;
    starts.push_back(item + static_cast<int>(starts.size()));
    --wanted;
  }
  return starts;
}

// A uniform place for the true pair; in a row so full that the decoys would not fit beside some
// places, uniform among the others.
int draw_true_start(Random& random, const SyntheticTask& task) {
  while (true) {
    const int start = draw(random, 0, task.tokens - 1);
    if (start / 2 + (task.tokens - 2 - start) / 2 >= task.decoys) return start;
  }
}

// Uniform places for the decoys around the true pair: drawn in the row without that pair, again if
// a decoy would be torn apart when the pair is put back.
std::vector<int> draw_decoy_starts(Random& random, const SyntheticTask& task, int true_start) {
  while (true) {
    std::vector<int> starts = draw_pair_starts(random, task.tokens - 2, task.decoys);
    if (std::find(starts.begin(), starts.end(), true_start - 1) != starts.end()) continue;
    for (int& start : starts) start += start >= true_start ? 2 : 0;
    return starts;
  }
}

void require_range(std::string_view name, int value, int least, int most) {
  if (value >= least && value <= most) return;
  throw Error(ErrorCode::usage, "set up synthetic task",
              fmt::format("{} is {}, expected {} to {}", name, value, least, most));
}

}  // namespace

void validate(const SyntheticTask& task) {
  require_range("tokens", task.tokens, 2, 1 << 16);
  require_range("decoys", task.decoys, 0, 1 << 15);
  require_range("values", task.values, 2, 10000);
  require_range("decoy_markers", task.decoy_markers, 1, 10000);
  require_range("symbols", task.symbols, 1, 10000);
  const int needed = 2 * (task.decoys + 1);
  if (needed <= task.tokens) return;
  throw Error(ErrorCode::usage, "set up synthetic task",
              fmt::format("{} decoy pairs and the true one need {} tokens, but a row has {}",
                          task.decoys, needed, task.tokens));
}

SyntheticTask shortened(const SyntheticTask& task, int tokens) {
  SyntheticTask shorter = task;
  shorter.tokens = tokens;
  const long share = std::lround(static_cast<double>(task.decoys) * tokens / task.tokens);
  shorter.decoys = task.decoys == 0 ? 0 : std::max(1, static_cast<int>(share));
  return shorter;
}

int symbol_count(const SyntheticTask& task) {
  return first_noise(task) + task.symbols;
}

std::string symbol_name(const SyntheticTask& task, int symbol) {
  if (symbol < 0 || symbol >= symbol_count(task)) {
    throw Error(ErrorCode::usage, "name synthetic symbol",
                fmt::format("{} is not one of {} symbols", symbol, symbol_count(task)));
  }
  if (symbol == marker_symbol) return "marker";
  if (symbol < first_value(task)) return fmt::format("decoy{}", symbol - first_decoy());
  if (symbol < first_noise(task)) return fmt::format("value{}", symbol - first_value(task));
  return fmt::format("noise{}", symbol - first_noise(task));
}

SyntheticRow synthetic_row(const SyntheticTask& task, uint64_t seed, uint64_t index) {
  validate(task);
  Random random{seed, index};
  SyntheticRow row;
  row.symbols.resize(static_cast<size_t>(task.tokens));
  for (int32_t& symbol : row.symbols) symbol = draw(random, first_noise(task), task.symbols);
  const auto place_pair = [&](int start, int32_t marker) {
    const int32_t value = draw(random, first_value(task), task.values);
    row.symbols[static_cast<size_t>(start)] = marker;
    row.symbols[static_cast<size_t>(start) + 1] = value;
    return value - first_value(task);
  };
  const int true_start = draw_true_start(random, task);
  row.label = place_pair(true_start, marker_symbol);
  for (const int start : draw_decoy_starts(random, task, true_start)) {
    place_pair(start, draw(random, first_decoy(), task.decoy_markers));
  }
  return row;
}

std::string to_text(const SyntheticTask& task, const SyntheticRow& row) {
  std::string text;
  for (const int32_t symbol : row.symbols) {
    if (!text.empty()) text.push_back(' ');
    text += symbol_name(task, symbol);
  }
  return text;
}

Vocabulary synthetic_vocabulary(const SyntheticTask& task) {
  validate(task);
  std::vector<std::string> words;
  words.reserve(static_cast<size_t>(symbol_count(task)));
  for (int symbol = 0; symbol < symbol_count(task); ++symbol) {
    words.push_back(symbol_name(task, symbol));
  }
  return Vocabulary::with_words(words);
}

std::vector<std::string> synthetic_labels(const SyntheticTask& task) {
  validate(task);
  std::vector<std::string> labels;
  labels.reserve(static_cast<size_t>(task.values));
  for (int value = 0; value < task.values; ++value) labels.push_back(fmt::format("value{}", value));
  return labels;
}

}  // namespace headroom
