#include "text/token_bm25.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "text/bm25.h"

namespace headroom {
namespace {

struct QueryAndPassage {
  std::span<const int32_t> query;
  std::span<const int32_t> passage;
};

// Some families put two separators between the texts, and all one at the end.
QueryAndPassage split_pair(std::span<const int32_t> pair, int32_t separator) {
  const auto is_text = [&](int32_t id) { return id != separator; };
  const auto end = std::find(pair.begin(), pair.end(), separator);
  const auto begin = std::find_if(end, pair.end(), is_text);
  const auto last = std::find(begin, pair.end(), separator);
  return {{pair.begin(), end}, {begin, last}};
}

}  // namespace

double TokenBm25::score(std::span<const int32_t> pair) const {
  const auto [query, passage] = split_pair(pair, separator);
  const double length = static_cast<double>(passage.size()) / mean_tokens;
  double sum = 0;
  for (const int32_t id : query) {
    const auto token = static_cast<size_t>(id);
    if (token >= rarity.size() || rarity[token] == 0) continue;
    const auto times = std::count(passage.begin(), passage.end(), id);
    if (times > 0) sum += bm25_term(rarity[token] / steps, static_cast<double>(times), length);
  }
  return sum;
}

TokenBm25 count_tokens(std::span<const std::span<const int32_t>> pairs, int32_t separator,
                       std::span<const int32_t> special, int64_t vocabulary) {
  std::set<std::vector<int32_t>> passages;
  for (const std::span<const int32_t> pair : pairs) {
    const std::span<const int32_t> passage = split_pair(pair, separator).passage;
    passages.insert({passage.begin(), passage.end()});
  }
  std::vector<double> having(static_cast<size_t>(vocabulary), 0.0);
  double tokens = 0;
  for (const std::vector<int32_t>& passage : passages) {
    tokens += static_cast<double>(passage.size());
    for (const int32_t id : std::set<int32_t>(passage.begin(), passage.end())) {
      ++having[static_cast<size_t>(id)];
    }
  }
  const auto documents = static_cast<double>(std::max<size_t>(passages.size(), 1));
  TokenBm25 counted;
  counted.separator = separator;
  counted.mean_tokens = std::max(tokens / documents, 1.0);
  for (const double n : having) {
    const double rarity = std::round(TokenBm25::steps * bm25_rarity(n, documents));
    counted.rarity.push_back(static_cast<uint8_t>(std::clamp(rarity, 1.0, 255.0)));
  }
  for (const int32_t id : special) counted.rarity[static_cast<size_t>(id)] = 0;
  return counted;
}

}  // namespace headroom
