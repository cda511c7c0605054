#include "text/bm25.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(Bm25, RareWordsCountMore) {
  const Bm25 index({"the wing the wing", "the slipstream", "the the the", "the flow"});
  EXPECT_EQ(index.search("the slipstream", 4)[0], 1);
  EXPECT_EQ(index.search("wing", 4), std::vector<int32_t>{0}) << "only what shares a word";
  EXPECT_TRUE(index.search("unheard", 4).empty());
}

TEST(Bm25, ShorterDocumentsComeFirstAndEqualOnesKeepTheirOrder) {
  const Bm25 index({"flow over a long flat plate", "flow", "flow"});
  EXPECT_EQ(index.search("flow", 3), (std::vector<int32_t>{1, 2, 0}));
  EXPECT_EQ(index.search("flow", 1), std::vector<int32_t>{1});
}

}  // namespace
}  // namespace headroom
