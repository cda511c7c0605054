#include "text/wordpiece/wordpiece_trainer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "support.h"
#include "text/unicode/utf8.h"
#include "text/wordpiece/wordpiece_tokenizer.h"

namespace headroom {
namespace {
using testing::expect_error;
using Pieces = std::vector<std::string>;

Vocabulary train(std::string_view text, int32_t size, int64_t min_count = 2) {
  WordPieceTrainer trainer;
  trainer.add(text);
  return trainer.train(size, min_count);
}

TEST(WordPieceTrainer, CharactersComeFirstThenTheMostFrequentPairs) {
  // ##u ##g is seen 5 times, then h ##ug 3 times, then p ##ug twice.
  EXPECT_EQ(train("hug pug hug pug hug", 100),
            Vocabulary::with_words(
                {"g", "##g", "u", "##u", "h", "##h", "p", "##p", "##ug", "hug", "pug"}));
}

TEST(WordPieceTrainer, EqualCountsGoInByteOrder) {
  EXPECT_EQ(train("ba ba ab ab", 100),
            Vocabulary::with_words({"a", "##a", "b", "##b", "ab", "ba"}));
}

TEST(WordPieceTrainer, StopsAtTheSize) {
  EXPECT_EQ(train("hug pug hug pug hug", 14),
            Vocabulary::with_words({"g", "##g", "u", "##u", "h", "##h", "p", "##p", "##ug"}));
}

TEST(WordPieceTrainer, OverlappingPairsMergeFromTheLeft) {
  // aaa is a ##a ##a; a ##a is seen twice, and ##a ##a twice: "##a" sorts first.
  EXPECT_EQ(train("aaa aaa", 100), Vocabulary::with_words({"a", "##a", "##aa", "aaa"}));
}

TEST(WordPieceTrainer, RareCharactersAndPairsAreLeftOut) {
  EXPECT_EQ(train("ab ab ax", 100), Vocabulary::with_words({"a", "##a", "b", "##b", "ab"}));
  EXPECT_EQ(train("ab ab ax", 100, 1),
            Vocabulary::with_words({"a", "##a", "b", "##b", "x", "##x", "ab", "ax"}));
}

TEST(WordPieceTrainer, PunctuationAndIdeographsHaveNoContinuation) {
  EXPECT_EQ(train("a, a,\u6771\u6771", 100), Vocabulary::with_words({",", "a", "##a", "\u6771"}));
}

TEST(WordPieceTrainer, WordsAreThoseOfTheTokenizer) {
  EXPECT_EQ(train("\u00C9T \u00E9t\u200B", 100),
            Vocabulary::with_words({"e", "##e", "t", "##t", "et"}));
  WordPieceTrainer cased(false);
  cased.add("AA Aa AA");
  EXPECT_EQ(cased.train(100), Vocabulary::with_words({"A", "##A", "AA"}));
}

TEST(WordPieceTrainer, WordsTooLongForTheTokenizerAreNotCounted) {
  EXPECT_EQ(train("aa aa " + std::string(101, 'x') + " " + std::string(101, 'x'), 100),
            Vocabulary::with_words({"a", "##a", "aa"}));
}

TEST(WordPieceTrainer, TheOrderOfTheTextsDoesNotMatter) {
  const Pieces texts = {"low lower lowest", "new newer newest", "wide wider widest low"};
  WordPieceTrainer forwards;
  WordPieceTrainer backwards;
  for (size_t i = 0; i < texts.size(); ++i) {
    forwards.add(texts[i]);
    backwards.add(texts[texts.size() - 1 - i]);
  }
  EXPECT_EQ(forwards.train(60, 1), backwards.train(60, 1));
}

TEST(WordPieceTrainer, SizesWithoutRoomForTheCharactersAreRefused) {
  expect_error(ErrorCode::usage, "a size of 8 was asked for, expected 9",
               [] { train("ab ab", 8); });
  EXPECT_EQ(train("ab ab", 9).size(), 9);
  expect_error(ErrorCode::usage, "a size of 5 was asked for", [] { train("", 5); });
  expect_error(ErrorCode::usage, "a size of -1 was asked for", [] { train("ab ab", -1); });
  expect_error(ErrorCode::usage, "to 1000000", [] { train("ab ab", 1'000'001); });
}

TEST(WordPieceTrainer, TheAlphabetIsLimited) {
  WordPieceTrainer trainer;
  for (char32_t i = 0; i < 1500; ++i) {
    std::string ideograph;
    append_utf8(ideograph, U'\u4E00' + i);
    trainer.add(ideograph);
  }
  EXPECT_EQ(trainer.train(5000, 1).size(),
            special_count + static_cast<int32_t>(WordPieceTrainer::max_alphabet));
}

TEST(WordPieceTrainer, TextThatIsNotUtf8IsRefused) {
  expect_error(ErrorCode::bad_data, "byte 0xE9 at offset 3", [] { train("caf\xE9", 100); });
}

TEST(WordPieceTrainer, ItsWordsAreNeverUnknown) {
  const std::string text = "the oil price rose as the storm hit the gulf, the price of oil rose";
  const WordPieceTokenizer tokenizer(train(text, 60, 1));
  for (const int32_t id : tokenizer.encode(text, 512)) {
    EXPECT_NE(id, tokenizer.vocabulary().unknown_id());
  }
}

// The same method without any bookkeeping: all pairs are counted anew before each merge.
Pieces plain_merges(const std::vector<std::pair<Pieces, int64_t>>& start, size_t most) {
  std::vector<std::pair<Pieces, int64_t>> words = start;
  Pieces merges;
  while (merges.size() < most) {
    std::map<std::pair<std::string, std::string>, int64_t> counts;
    for (const auto& [pieces, count] : words) {
      for (size_t i = 0; i + 1 < pieces.size(); ++i) counts[{pieces[i], pieces[i + 1]}] += count;
    }
    std::pair<std::string, std::string> best;
    int64_t highest = 1;  // min_count is 2
    for (const auto& [pair, count] : counts) {
      if (count > highest) best = pair;
      highest = std::max(highest, count);
    }
    if (highest < 2) break;
    const std::string merged = best.first + best.second.substr(2);
    if (std::find(merges.begin(), merges.end(), merged) == merges.end()) merges.push_back(merged);
    for (auto& [pieces, count] : words) {
      for (size_t i = 0; i + 1 < pieces.size(); ++i) {
        if (pieces[i] != best.first || pieces[i + 1] != best.second) continue;
        pieces[i] = merged;
        pieces.erase(pieces.begin() + static_cast<int64_t>(i) + 1);
      }
    }
  }
  return merges;
}

TEST(WordPieceTrainer, AgreesWithCountingAllPairsBeforeEachMerge) {
  Random random{1};
  for (int round = 0; round < 200; ++round) {
    WordPieceTrainer trainer;
    std::vector<std::pair<Pieces, int64_t>> words;
    trainer.add("a b c a b c");  // the whole alphabet, often enough
    for (int i = 0; i < 30; ++i) {
      Pieces pieces;
      std::string word;
      for (uint64_t length = 1 + random.below(8); length > 0; --length) {
        const std::string letter(1, static_cast<char>('a' + random.below(3)));
        pieces.push_back(pieces.empty() ? letter : "##" + letter);
        word += letter;
      }
      trainer.add(word);
      words.emplace_back(pieces, 1);
    }
    constexpr int32_t size = 60;
    const Vocabulary vocabulary = trainer.train(size);
    constexpr size_t before = special_count + 6;
    const Pieces merges(vocabulary.tokens().begin() + before, vocabulary.tokens().end());
    ASSERT_EQ(merges, plain_merges(words, size - before));
  }
}

}  // namespace
}  // namespace headroom
