#include "data/encoded.h"

namespace headroom {

int32_t EncodedDataset::length(int64_t row) const {
  const auto i = static_cast<size_t>(row);
  return static_cast<int32_t>(offsets[i + 1] - offsets[i]);
}

std::span<const int32_t> EncodedDataset::row(int64_t row) const {
  return std::span(tokens).subspan(static_cast<size_t>(offsets[static_cast<size_t>(row)]),
                                   static_cast<size_t>(length(row)));
}

std::span<const int32_t> EncodedDataset::row_types(int64_t row) const {
  if (types.empty()) return {};
  return std::span(types).subspan(static_cast<size_t>(offsets[static_cast<size_t>(row)]),
                                  static_cast<size_t>(length(row)));
}

std::vector<int32_t> EncodedDataset::lengths() const {
  std::vector<int32_t> result;
  result.reserve(labels.size());
  for (int64_t i = 0; i < size(); ++i) result.push_back(length(i));
  return result;
}

void EncodedDataset::append(std::span<const int32_t> ids, int32_t label) {
  tokens.insert(tokens.end(), ids.begin(), ids.end());
  offsets.push_back(static_cast<int64_t>(tokens.size()));
  labels.push_back(label);
}

EncodedDataset encode_dataset(const TextDataset& dataset, const Tokenizer& tokenizer,
                              int max_tokens) {
  EncodedDataset encoded;
  for (const TextRow& row : dataset.rows) {
    if (dataset.pairs) {
      const EncodedPair pair = tokenizer.encode_pair(row.text, row.text_pair, max_tokens);
      encoded.append(pair.ids, row.label);
      encoded.types.insert(encoded.types.end(), pair.types.begin(), pair.types.end());
    } else {
      encoded.append(tokenizer.encode(row.text, max_tokens), row.label);
    }
  }
  return encoded;
}

EncodedDataset encode_synthetic(const SyntheticTask& task, uint64_t seed, uint64_t first_index,
                                int64_t count) {
  EncodedDataset encoded;
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < count; ++i) {
    const SyntheticRow row = synthetic_row(task, seed, first_index + static_cast<uint64_t>(i));
    ids.assign(1, built_cls_id);
    for (const int32_t symbol : row.symbols) ids.push_back(symbol + special_count);
    ids.push_back(built_sep_id);
    encoded.append(ids, row.label);
  }
  return encoded;
}

}  // namespace headroom
