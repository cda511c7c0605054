#include "text/token_bm25.h"

#include <gtest/gtest.h>

#include "text/bm25.h"

namespace headroom {
namespace {

using Ids = std::vector<int32_t>;
constexpr int32_t cls = 0;
constexpr int32_t sep = 1;
constexpr int32_t unknown = 2;

TokenBm25 counted(const std::vector<Ids>& pairs) {
  const std::vector<std::span<const int32_t>> rows(pairs.begin(), pairs.end());
  return count_tokens(rows, sep, Ids{cls, sep, unknown}, 10);
}

// Passages: "5 6", "5 7", "5 5 8 8"; the second pair repeats the first one's.
TokenBm25 three_passages() {
  return counted({{cls, 9, sep, 5, 6, sep},
                  {cls, 4, sep, 5, 6, sep},
                  {cls, 9, sep, 5, 7, sep},
                  {cls, 9, sep, 5, 5, 8, 8, sep}});
}

TEST(TokenBm25, IsBm25OfTheTokensOfAPair) {
  const TokenBm25 lexical = three_passages();
  EXPECT_NEAR(lexical.mean_tokens, 8.0 / 3, 1e-12) << "a passage counts once";
  const double rare = bm25_rarity(1, 3);
  const double common = bm25_rarity(3, 3);
  EXPECT_NEAR(lexical.rarity[6] / TokenBm25::steps, rare, 0.5 / TokenBm25::steps);
  EXPECT_NEAR(lexical.rarity[5] / TokenBm25::steps, common, 0.5 / TokenBm25::steps);
  const double length = 2 / lexical.mean_tokens;
  EXPECT_NEAR(lexical.score(Ids{cls, 5, 6, 8, sep, 6, 5, sep}),
              bm25_term(rare, 1, length) + bm25_term(common, 1, length), 2 / TokenBm25::steps);
}

TEST(TokenBm25, KnowsWhereThePassageBegins) {
  const TokenBm25 lexical = three_passages();
  const double expected = lexical.score(Ids{cls, 6, sep, 6, 7, sep});
  EXPECT_GT(expected, 0);
  EXPECT_EQ(lexical.score(Ids{cls, 6, sep, sep, 6, 7, sep}), expected) << "RoBERTa's two";
  EXPECT_EQ(lexical.score(Ids{cls, 6, 6, sep}), 0) << "a single text";
  EXPECT_EQ(lexical.score(Ids{cls, 6, sep, sep}), 0) << "an empty passage";
  EXPECT_EQ(lexical.score(Ids{}), 0);
}

TEST(TokenBm25, SpecialAndUnheardOfTokensMatchNothing) {
  const TokenBm25 lexical = three_passages();
  EXPECT_EQ(lexical.score(Ids{cls, unknown, sep, unknown, sep}), 0);
  EXPECT_EQ(lexical.score(Ids{cls, 77, sep, 77, sep}), 0) << "beyond the vocabulary";
  EXPECT_GT(lexical.score(Ids{cls, 3, sep, 3, sep}), 0) << "not in a passage of training: rare";
}

}  // namespace
}  // namespace headroom
