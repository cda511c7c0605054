// Data sets as token ids, ready for batching: all rows end to end, with offsets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "data/synthetic.h"
#include "text/tokenizer.h"

namespace headroom {

struct EncodedDataset {
  std::vector<int32_t> tokens;         // row i is tokens[offsets[i], offsets[i + 1])
  std::vector<int64_t> offsets = {0};  // size() + 1 of them
  std::vector<int32_t> labels;         // one a row
  std::vector<int32_t> types;          // as long as tokens for pairs, else empty: all 0

  int64_t size() const { return static_cast<int64_t>(labels.size()); }
  int32_t length(int64_t row) const;
  std::span<const int32_t> row(int64_t row) const;
  std::span<const int32_t> row_types(int64_t row) const;  // empty when `types` is
  std::vector<int32_t> lengths() const;

  void append(std::span<const int32_t> ids, int32_t label);
};

// [CLS] text [SEP], or [CLS] text [SEP] text_pair [SEP] when the set has pairs.
EncodedDataset encode_dataset(const TextDataset& dataset, const Tokenizer& tokenizer,
                              int max_tokens);

// Rows first_index ... first_index + count - 1 of the synthetic task, as the tokenizer would encode
// their texts: [CLS] symbols [SEP].
EncodedDataset encode_synthetic(const SyntheticTask& task, uint64_t seed, uint64_t first_index,
                                int64_t count);

}  // namespace headroom
