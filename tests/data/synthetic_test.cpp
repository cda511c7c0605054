#include "data/formats/synthetic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "support.h"
#include "text/words.h"

namespace headroom {
namespace {
using testing::expect_error;

const SyntheticTask small = {12, 2, 4, 3, 5};

enum class Kind { marker, decoy, value, noise };
Kind kind_of(const SyntheticTask& task, int32_t symbol) {
  const std::string name = symbol_name(task, symbol);
  if (name == "marker") return Kind::marker;
  if (name.starts_with("decoy")) return Kind::decoy;
  return name.starts_with("value") ? Kind::value : Kind::noise;
}

TEST(Synthetic, RowsAreAPureFunctionOfSeedAndIndex) {
  const SyntheticTask task;
  EXPECT_EQ(synthetic_row(task, 1, 5).symbols, synthetic_row(task, 1, 5).symbols);
  EXPECT_NE(synthetic_row(task, 1, 5).symbols, synthetic_row(task, 1, 6).symbols);
  EXPECT_NE(synthetic_row(task, 1, 5).symbols, synthetic_row(task, 2, 5).symbols);
}

TEST(Synthetic, OneMarkerIsFollowedByTheAnswerAndEachDecoyByAValue) {
  for (const SyntheticTask& task : {SyntheticTask{}, small, SyntheticTask{4, 1, 2, 1, 1}}) {
    for (uint64_t index = 0; index < 500; ++index) {
      const SyntheticRow row = synthetic_row(task, 9, index);
      ASSERT_EQ(row.symbols.size(), static_cast<size_t>(task.tokens));
      std::array<int, 4> counts = {};
      for (size_t i = 0; i < row.symbols.size(); ++i) {
        const Kind kind = kind_of(task, row.symbols[i]);
        ++counts[static_cast<size_t>(kind)];
        if (kind != Kind::marker && kind != Kind::decoy) continue;
        ASSERT_LT(i + 1, row.symbols.size());
        ASSERT_EQ(kind_of(task, row.symbols[i + 1]), Kind::value);
        if (kind == Kind::marker) {
          ASSERT_EQ(symbol_name(task, row.symbols[i + 1]),
                    synthetic_labels(task)[static_cast<size_t>(row.label)]);
        }
      }
      ASSERT_EQ(counts[0], 1);
      ASSERT_EQ(counts[1], task.decoys);
      ASSERT_EQ(counts[2], task.decoys + 1) << "no value stands alone";
    }
  }
}

TEST(Synthetic, TheKindOfMarkerSaysHowFarBehindItTheAnswerStands) {
  const SyntheticTask task = {.tokens = 20, .decoys = 3, .values = 4, .markers = 3};
  std::array<int, 3> kinds = {};
  for (uint64_t index = 0; index < 500; ++index) {
    const SyntheticRow row = synthetic_row(task, 9, index);
    int markers = 0;
    int values = 0;
    for (size_t i = 0; i < row.symbols.size(); ++i) {
      const std::string name = symbol_name(task, row.symbols[i]);
      values += name.starts_with("value") ? 1 : 0;
      if (name.starts_with("decoy") || name.starts_with("marker")) {
        for (size_t next = 1; next <= 3; ++next) {
          ASSERT_EQ(kind_of(task, row.symbols.at(i + next)), Kind::value);
        }
      }
      if (!name.starts_with("marker")) continue;
      ++markers;
      const auto kind = static_cast<size_t>(name.back() - '0');
      ++kinds.at(kind);
      ASSERT_EQ(symbol_name(task, row.symbols[i + 1 + kind]),
                synthetic_labels(task)[static_cast<size_t>(row.label)]);
    }
    ASSERT_EQ(markers, 1);
    ASSERT_EQ(values, 3 * 4) << "three behind each marker";
  }
  // Five standard deviations of a binomial count.
  for (const int count : kinds) EXPECT_NEAR(count, 500 / 3.0, 5 * 10.5);
}

TEST(Synthetic, ShorterRowsHaveAsManyDecoysAsFit) {
  EXPECT_EQ(shortened({.tokens = 128, .decoys = 16}, 32).decoys, 4);
  EXPECT_EQ(shortened({.tokens = 128, .decoys = 1}, 16).decoys, 1);
  EXPECT_EQ(shortened({.tokens = 128, .decoys = 60}, 16).decoys, 7) << "8 pairs fill the row";
  EXPECT_EQ(shortened({.tokens = 96, .decoys = 18, .markers = 4}, 16).decoys, 2);
}

TEST(Synthetic, PositionsAndLabelsAreUniform) {
  std::vector<int> positions(11, 0);
  std::vector<int> labels(4, 0);
  constexpr int rows = 22'000;
  for (uint64_t index = 0; index < rows; ++index) {
    const SyntheticRow row = synthetic_row(small, 3, index);
    ++positions[static_cast<size_t>(std::find(row.symbols.begin(), row.symbols.end(), 0) -
                                    row.symbols.begin())];
    ++labels[static_cast<size_t>(row.label)];
  }
  // Five standard deviations of a binomial count.
  for (const int count : positions) EXPECT_NEAR(count, rows / 11.0, 5 * 43);
  for (const int count : labels) EXPECT_NEAR(count, rows / 4.0, 5 * 65);
}

TEST(Synthetic, VocabularyIdsAreSymbolsBehindTheSpecialTokens) {
  const Vocabulary vocabulary = synthetic_vocabulary(small);
  EXPECT_EQ(vocabulary.size(), special_count + symbol_count(small));
  for (int symbol = 0; symbol < symbol_count(small); ++symbol) {
    EXPECT_EQ(vocabulary.id(symbol_name(small, symbol)), symbol + special_count);
    EXPECT_EQ(split_words(symbol_name(small, symbol)).size(), 1U);
  }
}

TEST(Synthetic, TextNamesTheSymbols) {
  EXPECT_EQ(to_text(small, {{0, 4, 8, 1}, 0}), "marker value0 noise0 decoy0");
  expect_error(ErrorCode::usage, "13 is not one of 13 symbols", [] { symbol_name(small, 13); });
}

TEST(Synthetic, ParametersMustMakeSense) {
  const auto refuse = [](const SyntheticTask& task, std::string_view fragment) {
    expect_error(ErrorCode::usage, fragment, [&] { synthetic_row(task, 1, 1); });
  };
  refuse({8, 6, 8, 3, 64},
         "6 decoys and the true marker, each with its values, need 14 tokens, but a row has 8");
  refuse({14, 6, 8, 3, 64, 2}, "need 21 tokens");
  refuse({128, 6, 8, 3, 64, 0}, "markers is 0");
  refuse({128, -1, 8, 3, 64}, "decoys is -1");
  refuse({128, 6, 1, 3, 64}, "values is 1, expected 2 to");
  refuse({128, 6, 8, 0, 64}, "decoy_markers is 0");
  refuse({128, 6, 8, 3, 0}, "symbols is 0");
  refuse({1, 0, 8, 3, 64}, "tokens is 1");
}

}  // namespace
}  // namespace headroom
