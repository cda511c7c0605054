#include "text/piece_trie.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"

namespace headroom {
namespace {

TEST(PieceTrie, FindsTheLongestTokenThatATextBeginsWith) {
  const PieceTrie trie({"oil", "oi", "##ly", "x"});
  const PieceTrie::Match match = trie.longest(PieceTrie::root, "oily");
  EXPECT_EQ(match.id, 0);
  EXPECT_EQ(match.bytes, 3U);
  EXPECT_EQ(trie.longest(PieceTrie::root, "oi!").id, 1);
  EXPECT_EQ(trie.longest(PieceTrie::root, "o").bytes, 0U) << "a start of a token is none";
  EXPECT_EQ(trie.longest(PieceTrie::root, "").bytes, 0U);
}

TEST(PieceTrie, BeginsAtAnyNode) {
  const PieceTrie trie({"oil", "##ly"});
  EXPECT_EQ(trie.longest(trie.descend(PieceTrie::root, "##"), "ly").id, 1);
  EXPECT_EQ(trie.descend(PieceTrie::root, "#a"), PieceTrie::nowhere);
  EXPECT_EQ(trie.longest(PieceTrie::nowhere, "oil").bytes, 0U);
}

TEST(PieceTrie, WithoutTokensNothingMatches) {
  EXPECT_EQ(PieceTrie({}).longest(PieceTrie::root, "oil").bytes, 0U);
}

TEST(PieceTrie, AgreesWithTryingEveryToken) {
  Random random{1};
  const auto word = [&](uint64_t most) {
    std::string text(1 + random.below(most), ' ');
    for (char& c : text) c = static_cast<char>("abc\xC3"[random.below(4)]);
    return text;
  };
  for (int round = 0; round < 200; ++round) {
    std::vector<std::string> tokens;
    for (int i = 0; i < 30; ++i) {
      const std::string token = word(5);
      if (std::find(tokens.begin(), tokens.end(), token) == tokens.end()) tokens.push_back(token);
    }
    const PieceTrie trie(tokens);
    for (int i = 0; i < 50; ++i) {
      const std::string text = word(8);
      PieceTrie::Match expected;
      for (size_t id = 0; id < tokens.size(); ++id) {
        if (!text.starts_with(tokens[id]) || tokens[id].size() <= expected.bytes) continue;
        expected = {static_cast<int32_t>(id), tokens[id].size()};
      }
      const PieceTrie::Match match = trie.longest(PieceTrie::root, text);
      ASSERT_EQ(match.id, expected.id);
      ASSERT_EQ(match.bytes, expected.bytes);
    }
  }
}

}  // namespace
}  // namespace headroom
