// BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework", 2009, equation 3.15):
// which documents share a query's rare words. It finds the candidates that a ranker then sorts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/vocabulary.h"

namespace headroom {

// log(1 + (N - n + 0.5) / (n + 0.5)) of a term that `n` of N documents have.
double bm25_rarity(double n, double documents);

// What a term adds that a document has `times` times, whose length is `length` means.
double bm25_term(double rarity, double times, double length);

class Bm25 {
 public:
  explicit Bm25(const std::vector<std::string>& documents);

  // Numbers of the best `count` documents that share a word with the query, best first; between
  // equals the earlier.
  std::vector<int32_t> search(std::string_view query, size_t count) const;

 private:
  struct Posting {
    int32_t document = 0;
    int32_t times = 0;
  };
  StringMap<std::vector<Posting>> postings_;
  std::vector<double> lengths_;  // of documents, in words, over the mean
};

}  // namespace headroom
