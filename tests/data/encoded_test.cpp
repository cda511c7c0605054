#include "data/encoded.h"

#include <gtest/gtest.h>

#include "text/word_tokenizer.h"

namespace headroom {
namespace {
using Ids = std::vector<int32_t>;

Ids copy(std::span<const int32_t> ids) {
  return {ids.begin(), ids.end()};
}

// a 5, b 6, c 7
WordTokenizer letters() {
  return WordTokenizer(Vocabulary::with_words({"a", "b", "c"}));
}

TEST(Encoded, RowsLieEndToEnd) {
  const TextDataset dataset = {"t", {{"a b", "", 1}, {"", "", 0}, {"c c c", "", 1}}, {"x", "y"}};
  const EncodedDataset encoded = encode_dataset(dataset, letters(), 4);
  EXPECT_EQ(encoded.size(), 3);
  EXPECT_EQ(copy(encoded.row(0)), (Ids{2, 5, 6, 3}));
  EXPECT_EQ(copy(encoded.row(1)), (Ids{2, 3}));
  EXPECT_EQ(copy(encoded.row(2)), (Ids{2, 7, 7, 3})) << "cut to 4 tokens";
  EXPECT_EQ(encoded.lengths(), (Ids{4, 2, 4}));
  EXPECT_EQ(encoded.labels, (Ids{1, 0, 1}));
  EXPECT_EQ(encoded.offsets, (std::vector<int64_t>{0, 4, 6, 10}));
  EXPECT_TRUE(encoded.types.empty());
  EXPECT_TRUE(encoded.row_types(0).empty());
}

TEST(Encoded, RowsByLengthKeepTheirOrderWhereTheyAreAlike) {
  const TextDataset dataset = {"t", {{"a b", "", 1}, {"", "", 0}, {"c c", "", 1}}, {"x", "y"}};
  EXPECT_EQ(encode_dataset(dataset, letters(), 4).rows_by_length(), (Ids{1, 0, 2}));
}

TEST(Encoded, PairsHaveTokenTypes) {
  const TextDataset dataset = {"t", {{"a", "b", 0}, {"c", "", 1}}, {"x", "y"}, true};
  const EncodedDataset encoded = encode_dataset(dataset, letters(), 16);
  EXPECT_EQ(copy(encoded.row(0)), (Ids{2, 5, 3, 6, 3}));
  EXPECT_EQ(copy(encoded.row_types(0)), (Ids{0, 0, 0, 1, 1}));
  EXPECT_EQ(copy(encoded.row(1)), (Ids{2, 7, 3})) << "an empty second text is none";
  EXPECT_EQ(encoded.types.size(), encoded.tokens.size());
}

TEST(Encoded, AnEmptySetHasOneOffset) {
  const EncodedDataset encoded = encode_dataset({}, letters(), 16);
  EXPECT_EQ(encoded.size(), 0);
  EXPECT_EQ(encoded.offsets, std::vector<int64_t>{0});
}

TEST(Encoded, SyntheticRowsAreWhatTheTokenizerMakesOfTheirText) {
  const SyntheticTask task = {12, 2, 4, 3, 5};
  const EncodedDataset encoded = encode_synthetic(task, 1, 100, 3);
  EXPECT_EQ(encoded.size(), 3);
  EXPECT_EQ(encoded.length(0), 14);
  const SyntheticRow row = synthetic_row(task, 1, 102);
  const Ids ids = WordTokenizer(synthetic_vocabulary(task)).encode(to_text(task, row), 100);
  EXPECT_EQ(copy(encoded.row(2)), ids);
  EXPECT_EQ(encoded.labels[2], row.label);
}

}  // namespace
}  // namespace headroom
