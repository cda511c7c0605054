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

constexpr int first_marker = 0;

// Where each kind of symbol starts, in the order of the header.
int first_decoy(const SyntheticTask& task) {
  return first_marker + task.markers;
}
int first_value(const SyntheticTask& task) {
  return first_decoy(task) + task.decoy_markers;
}
int first_noise(const SyntheticTask& task) {
  return first_value(task) + task.values;
}

int32_t draw(Random& random, int first, int count) {
  return static_cast<int32_t>(first + static_cast<int>(random.below(static_cast<uint64_t>(count))));
}

// A marker and its values.
int group_size(const SyntheticTask& task) {
  return 1 + task.markers;
}

// Uniform starts for `groups` non-overlapping groups of `size` neighbours: glue each group into one
// item, choose which items are groups (selection sampling, Knuth 3.4.2 S), and spread out again.
// Every arrangement is equally likely.
std::vector<int> draw_group_starts(Random& random, int tokens, int groups, int size) {
  std::vector<int> starts;
  const int items = tokens - groups * (size - 1);
  int wanted = groups;
  for (int item = 0; item < items && wanted > 0; ++item) {
    if (random.below(static_cast<uint64_t>(items - item)) >= static_cast<uint64_t>(wanted))
      continue;
    starts.push_back(item + static_cast<int>(starts.size()) * (size - 1));
    --wanted;
  }
  return starts;
}

// A uniform place for the true group; in a row so full that the decoys would not fit beside some
// places, uniform among the others.
int draw_true_start(Random& random, const SyntheticTask& task) {
  const int size = group_size(task);
  while (true) {
    const int start = draw(random, 0, task.tokens - size + 1);
    if (start / size + (task.tokens - size - start) / size >= task.decoys) return start;
  }
}

// Uniform places for the decoys around the true group: drawn in the row without that group, again
// if a decoy would be torn apart when the group is put back.
std::vector<int> draw_decoy_starts(Random& random, const SyntheticTask& task, int true_start) {
  const int size = group_size(task);
  const auto torn = [&](int start) { return start < true_start && start + size > true_start; };
  while (true) {
    std::vector<int> starts = draw_group_starts(random, task.tokens - size, task.decoys, size);
    if (std::any_of(starts.begin(), starts.end(), torn)) continue;
    for (int& start : starts) start += start >= true_start ? size : 0;
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
  require_range("markers", task.markers, 1, 1000);
  require_range("decoy_markers", task.decoy_markers, 1, 10000);
  require_range("symbols", task.symbols, 1, 10000);
  const int needed = group_size(task) * (task.decoys + 1);
  if (needed <= task.tokens) return;
  throw Error(
      ErrorCode::usage, "set up synthetic task",
      fmt::format("{} decoys and the true marker, each with its values, need {} tokens, but "
                  "a row has {}",
                  task.decoys, needed, task.tokens));
}

SyntheticTask shortened(const SyntheticTask& task, int tokens) {
  SyntheticTask shorter = task;
  shorter.tokens = tokens;
  const long share = std::lround(static_cast<double>(task.decoys) * tokens / task.tokens);
  const int room = tokens / group_size(task) - 1;
  shorter.decoys = task.decoys == 0 ? 0 : std::min(room, std::max(1, static_cast<int>(share)));
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
  if (symbol < first_decoy(task)) {
    return task.markers == 1 ? "marker" : fmt::format("marker{}", symbol - first_marker);
  }
  if (symbol < first_value(task)) return fmt::format("decoy{}", symbol - first_decoy(task));
  if (symbol < first_noise(task)) return fmt::format("value{}", symbol - first_value(task));
  return fmt::format("noise{}", symbol - first_noise(task));
}

SyntheticRow synthetic_row(const SyntheticTask& task, uint64_t seed, uint64_t index) {
  validate(task);
  Random random{seed, index};
  SyntheticRow row;
  row.symbols.resize(static_cast<size_t>(task.tokens));
  for (int32_t& symbol : row.symbols) symbol = draw(random, first_noise(task), task.symbols);
  const auto place_group = [&](int start, int32_t marker) {
    auto next = row.symbols.begin() + start;
    *next++ = marker;
    for (int i = 0; i < task.markers; ++i) *next++ = draw(random, first_value(task), task.values);
  };
  const int true_start = draw_true_start(random, task);
  const int kind = task.markers == 1 ? 0 : draw(random, 0, task.markers);
  place_group(true_start, first_marker + kind);
  row.label = row.symbols[static_cast<size_t>(true_start + 1 + kind)] - first_value(task);
  for (const int start : draw_decoy_starts(random, task, true_start)) {
    place_group(start, draw(random, first_decoy(task), task.decoy_markers));
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
