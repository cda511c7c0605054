#include "base/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace headroom {
namespace {

constexpr size_t longest_word = 64;  // nobody mistypes more by hand; the table stays small

// Damerau and Levenshtein's distance, neighbours swapped at most once.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> distance(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        distance[i][j] = i + j;
        continue;
      }
      const size_t replaced = distance[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      distance[i][j] = std::min({replaced, distance[i - 1][j] + 1, distance[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        distance[i][j] = std::min(distance[i][j], distance[i - 2][j - 2] + 1);
      }
    }
  }
  return distance[a.size()][b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string> names) {
  std::string_view best;
  if (word.empty() || word.size() > longest_word) return best;
  size_t least = word.size() / 3 + 2;  // as many edits make it another word
  for (const std::string& name : names) {
    const bool starts = word.size() >= 3 && name.starts_with(word);
    const size_t edits = starts ? 1 : edit_distance(word, name);
    if (edits < least) {
      least = edits;
      best = name;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  const std::string_view name = nearest(word, names);
  return name.empty() ? "" : fmt::format("; did you mean {}", name);
}

}  // namespace headroom
