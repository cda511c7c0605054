#include "text/bm25.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "text/words.h"

namespace headroom {
namespace {

constexpr double bm25_k1 = 1.2;
constexpr double bm25_b = 0.75;

}  // namespace

double bm25_rarity(double n, double documents) {
  return std::log(1 + (documents - n + 0.5) / (n + 0.5));
}

double bm25_term(double rarity, double times, double length) {
  return rarity * times * (bm25_k1 + 1) / (times + bm25_k1 * (1 - bm25_b + bm25_b * length));
}

Bm25::Bm25(const std::vector<std::string>& documents) {
  WordScanner scanner;
  double words = 0;
  for (size_t i = 0; i < documents.size(); ++i) {
    const auto document = static_cast<int32_t>(i);
    double length = 0;
    scanner.reset(documents[i]);
    while (scanner.next()) {
      ++length;
      std::vector<Posting>& list = postings_[std::string(scanner.word())];
      if (list.empty() || list.back().document != document) list.push_back({document, 0});
      ++list.back().times;
    }
    lengths_.push_back(length);
    words += length;
  }
  const double mean =
      std::max(words / static_cast<double>(std::max<size_t>(1, documents.size())), 1.0);
  for (double& length : lengths_) length /= mean;
}

std::vector<int32_t> Bm25::search(std::string_view query, size_t count) const {
  std::vector<double> scores(lengths_.size(), 0.0);
  const auto documents = static_cast<double>(lengths_.size());
  for (const std::string& word : split_words(query)) {
    const auto found = postings_.find(word);
    if (found == postings_.end()) continue;
    const auto n = static_cast<double>(found->second.size());
    const double rarity = bm25_rarity(n, documents);
    for (const Posting& posting : found->second) {
      const auto at = static_cast<size_t>(posting.document);
      scores[at] += bm25_term(rarity, posting.times, lengths_[at]);
    }
  }
  std::vector<int32_t> order;
  for (size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > 0) order.push_back(static_cast<int32_t>(i));
  }
  std::stable_sort(order.begin(), order.end(), [&](int32_t x, int32_t y) {
    return scores[static_cast<size_t>(x)] > scores[static_cast<size_t>(y)];
  });
  order.resize(std::min(order.size(), count));
  return order;
}

}  // namespace headroom
