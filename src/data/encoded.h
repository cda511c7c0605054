// Data sets ready for batching, all rows end to end: token ids with offsets, or pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/image_format.h"
#include "base/task.h"
#include "data/dataset.h"
#include "data/formats/images.h"
#include "data/formats/plain_text.h"
#include "data/formats/synthetic.h"
#include "headroom/types.h"
#include "text/tokenizer.h"

namespace headroom {

struct EncodedDataset {
  std::vector<int32_t> tokens;         // row i is tokens[offsets[i], offsets[i + 1])
  std::vector<int64_t> offsets = {0};  // size() + 1 of them
  std::vector<int32_t> labels;         // one a row; 0 where rows have none
  std::vector<int32_t> types;  // as long as tokens, of pairs and letter case, or empty: all 0

  RowForm form = RowForm::text;
  ImageFormat image = {};                     // images
  std::vector<uint8_t> pixels = {};           // images: image.values() a row
  std::vector<int32_t> targets = {};          // translations, [CLS] words [SEP]
  std::vector<int64_t> target_offsets = {0};  // as `offsets`
  std::vector<std::string> references = {};   // translations as they were written

  static constexpr int32_t no_tag = -100;  // torch's default for "ignore this label"
  std::vector<int32_t> tags = {};          // tagging, as long as tokens: a label or no_tag
  // Rows that belong together: parts of one sentence, candidates of one query. Else empty.
  std::vector<int32_t> groups = {};
  // values_a_row numbers a row: of every label 0 or 1; a number; a grade and the DCG of its query's
  // best order; how alike the texts are.
  std::vector<float> values = {};
  int64_t values_a_row = 0;
  std::vector<EncodedDataset> partners = {};  // vectors: second texts of the rows, then third ones

  int64_t size() const { return static_cast<int64_t>(labels.size()); }
  int32_t length(int64_t row) const;  // tokens or patches that attention sees
  std::span<const int32_t> row(int64_t row) const;
  std::span<const int32_t> row_types(int64_t row) const;  // empty when `types` is
  std::span<const int32_t> target(int64_t row) const;     // of a translation
  std::span<const int32_t> row_tags(int64_t row) const;   // of tagged words
  std::span<const float> row_values(int64_t row) const;
  std::vector<int32_t> lengths() const;
  std::vector<int32_t> rows_by_length() const;  // shortest first: batches of these pad little

  void append(std::span<const int32_t> ids, int32_t label);
  void append(const Tokens& row, int32_t label);
};

// Rows of text as the engine and tune() take them.
std::vector<Tokens> inputs_of(const EncodedDataset& rows);

// [CLS] text [SEP], or [CLS] text [SEP] text_pair [SEP] when the set has pairs.
EncodedDataset encode_dataset(const TextDataset& dataset, const Tokenizer& tokenizer,
                              int max_tokens);

// Throws ErrorCode::usage unless `patch` divides the side of the images.
EncodedDataset encode_images(ImageDataset images, int64_t patch);

// Running text as rows of `row_tokens` inputs and as many answers, the inputs moved on by one; what
// does not fill a row is left out.
EncodedDataset encode_stream(const std::vector<int32_t>& tokens, int64_t row_tokens);

// words [SEP] and [CLS] words [SEP], each cut to `max_tokens`.
EncodedDataset encode_translations(const std::vector<SentencePair>& pairs,
                                   const Tokenizer& tokenizer, int max_tokens);

// Rows first_index ... first_index + count - 1 of the synthetic task, as the tokenizer would encode
// their texts: [CLS] symbols [SEP].
EncodedDataset encode_synthetic(const SyntheticTask& task, uint64_t seed, uint64_t first_index,
                                int64_t count);

}  // namespace headroom
