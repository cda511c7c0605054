// Rung zero: a linear model over a text's token n-grams, microseconds a text. Every token and every
// hashed run of two or three tokens has a row of bytes with one scale, a byte a label.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headroom {

struct NgramTable {
  int64_t vocabulary = 0;  // tokens: a row each
  int64_t buckets = 0;     // rows behind them that longer n-grams share; a power of two
  int64_t orders = 2;      // tokens of the longest n-gram, 1 to 3
  int64_t labels = 0;

  int64_t rows() const { return vocabulary + buckets; }

  // The rows of a text's n-grams, written over `rows`. Tokens of a pair's second text (type 1) have
  // rows of their own among the buckets. Throws ErrorCode::usage for an id outside the vocabulary.
  void find_rows(std::span<const int32_t> ids, std::span<const int32_t> types,
                 std::vector<uint32_t>& rows) const;
};

struct NgramBag {
  NgramTable table;
  std::vector<int8_t> weights;  // (rows, labels)
  std::vector<float> scales;    // a row each

  // One probability a label: softmax of the rows' sum over the square root of how many there are.
  std::vector<double> scores(std::span<const int32_t> ids, std::span<const int32_t> types) const;

  // Multiply-adds of a text of so many tokens.
  double macs(int64_t tokens) const;
};

// Throws ErrorCode::bad_model unless sizes and contents fit each other.
void check(const NgramBag& bag);

}  // namespace headroom
