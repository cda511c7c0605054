#include "data/encoded.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/error.h"

namespace headroom {

int32_t EncodedDataset::length(int64_t row) const {
  if (form == RowForm::image) return static_cast<int32_t>(image.patches() + 1);
  const auto i = static_cast<size_t>(row);
  const int64_t tokens_here = offsets[i + 1] - offsets[i];
  // The last token of a stretch of running text is only predicted.
  return static_cast<int32_t>(form == RowForm::stream ? tokens_here - 1 : tokens_here);
}

std::span<const int32_t> EncodedDataset::row(int64_t row) const {
  const auto i = static_cast<size_t>(row);
  return std::span(tokens).subspan(static_cast<size_t>(offsets[i]),
                                   static_cast<size_t>(offsets[i + 1] - offsets[i]));
}

std::span<const int32_t> EncodedDataset::row_types(int64_t row) const {
  if (types.empty()) return {};
  return std::span(types).subspan(static_cast<size_t>(offsets[static_cast<size_t>(row)]),
                                  static_cast<size_t>(length(row)));
}

std::span<const int32_t> EncodedDataset::target(int64_t row) const {
  const auto i = static_cast<size_t>(row);
  return std::span(targets).subspan(static_cast<size_t>(target_offsets[i]),
                                    static_cast<size_t>(target_offsets[i + 1] - target_offsets[i]));
}

std::span<const int32_t> EncodedDataset::row_tags(int64_t row) const {
  return std::span(tags).subspan(static_cast<size_t>(offsets[static_cast<size_t>(row)]),
                                 static_cast<size_t>(length(row)));
}

std::span<const float> EncodedDataset::row_values(int64_t row) const {
  return std::span(values).subspan(static_cast<size_t>(row * values_a_row),
                                   static_cast<size_t>(values_a_row));
}

std::vector<int32_t> EncodedDataset::lengths() const {
  std::vector<int32_t> result;
  result.reserve(labels.size());
  for (int64_t i = 0; i < size(); ++i) result.push_back(length(i));
  return result;
}

std::vector<int32_t> EncodedDataset::rows_by_length() const {
  std::vector<int32_t> rows(labels.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](int32_t a, int32_t b) { return length(a) < length(b); });
  return rows;
}

void EncodedDataset::append(std::span<const int32_t> ids, int32_t label) {
  tokens.insert(tokens.end(), ids.begin(), ids.end());
  offsets.push_back(static_cast<int64_t>(tokens.size()));
  labels.push_back(label);
}

void EncodedDataset::append(const Tokens& row, int32_t label) {
  append(row.ids, label);
  if (types.empty() && row.types.empty()) return;
  types.resize(tokens.size() - row.types.size());
  types.insert(types.end(), row.types.begin(), row.types.end());
}

std::vector<Tokens> inputs_of(const EncodedDataset& rows) {
  std::vector<Tokens> inputs;
  for (int64_t row = 0; row < rows.size(); ++row) {
    const auto ids = rows.row(row);
    const auto types = rows.row_types(row);
    inputs.push_back({{ids.begin(), ids.end()}, {types.begin(), types.end()}});
  }
  return inputs;
}

EncodedDataset encode_dataset(const TextDataset& dataset, const Tokenizer& tokenizer,
                              int max_tokens) {
  EncodedDataset encoded;
  for (const TextRow& row : dataset.rows) {
    if (dataset.pairs) {
      encoded.append(tokenizer.encode_pair(row.text, row.text_pair, max_tokens), row.label);
    } else {
      encoded.append(tokenizer.encode(row.text, max_tokens), row.label);
    }
  }
  return encoded;
}

EncodedDataset encode_images(ImageDataset images, int64_t patch) {
  if (patch < 1 || images.format.side % patch != 0) {
    throw Error(
        ErrorCode::usage, "cut images",
        fmt::format("--patch {} does not divide the side of {} pixels", patch, images.format.side));
  }
  EncodedDataset encoded;
  encoded.form = RowForm::image;
  encoded.image = images.format;
  encoded.image.patch = patch;
  encoded.pixels = std::move(images.pixels);
  encoded.labels = std::move(images.labels);
  return encoded;
}

EncodedDataset encode_stream(const std::vector<int32_t>& tokens, int64_t row_tokens) {
  EncodedDataset encoded;
  encoded.form = RowForm::stream;
  const std::span<const int32_t> all = tokens;
  const auto step = static_cast<size_t>(row_tokens);
  for (size_t begin = 0; begin + step < all.size(); begin += step) {
    encoded.append(all.subspan(begin, step + 1), 0);
  }
  return encoded;
}

EncodedDataset encode_translations(const std::vector<SentencePair>& pairs,
                                   const Tokenizer& tokenizer, int max_tokens) {
  EncodedDataset encoded;
  encoded.form = RowForm::translation;
  for (const SentencePair& pair : pairs) {
    const std::vector<int32_t> source = tokenizer.encode(pair.source, max_tokens);
    encoded.append(std::span(source).subspan(1), 0);  // without [CLS]
    const std::vector<int32_t> target = tokenizer.encode(pair.target, max_tokens);
    encoded.targets.insert(encoded.targets.end(), target.begin(), target.end());
    encoded.target_offsets.push_back(static_cast<int64_t>(encoded.targets.size()));
    encoded.references.push_back(pair.target);
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
