#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support.h"
#include "text/word_tokenizer.h"

namespace headroom {
namespace {
using testing::expect_error;
using Ids = std::vector<int32_t>;

// [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, then a 5 ... f 10
WordTokenizer letters() {
  return WordTokenizer(Vocabulary::with_words({"a", "b", "c", "d", "e", "f"}));
}

TEST(WordTokenizer, PutsTheTextBetweenClsAndSep) {
  EXPECT_EQ(letters().encode("A b zebra", 16), (Ids{2, 5, 6, 1, 3}));
}

TEST(WordTokenizer, EmptyTextIsJustTheSpecialTokens) {
  EXPECT_EQ(letters().encode("", 16), (Ids{2, 3}));
}

TEST(WordTokenizer, CutsToLengthAndKeepsTheFinalSep) {
  EXPECT_EQ(letters().encode("a b c d", 4), (Ids{2, 5, 6, 3}));
  EXPECT_EQ(letters().encode("a b c d", 2), (Ids{2, 3}));
}

TEST(WordTokenizer, SaysWhatWasCut) {
  EXPECT_TRUE(letters().tokens({"a b c"}, 4).truncated);
  EXPECT_FALSE(letters().tokens({"a b"}, 4).truncated) << "just fits";
  EXPECT_EQ(letters().tokens({"a b c"}, 4).ids, letters().encode("a b c", 4));
  EXPECT_FALSE(letters().tokens({"a b", "c"}, 6).truncated);
  EXPECT_TRUE(letters().tokens({"a b", "c d"}, 6).truncated);
  EXPECT_TRUE(letters().tokens({"a b c d e", ""}, 6).truncated);
  WordTokenizer end = letters();
  end.set_kept_part(KeptPart::tail);
  EXPECT_TRUE(end.tokens({"a b c"}, 4).truncated);
  EXPECT_FALSE(end.tokens({"a b"}, 4).truncated);
}

TEST(WordTokenizer, AnEmptySecondTextIsNone) {
  EXPECT_EQ(letters().encode_pair("a b", "", 16).ids, letters().encode("a b", 16));
  EXPECT_EQ(letters().encode_pair("a b c", "", 4).ids, (Ids{2, 5, 6, 3}));
  EXPECT_EQ(letters().encode_with_offsets({"a b", ""}, 16).ids, letters().encode("a b", 16));
  EXPECT_EQ(letters().encode_pair("", "c", 16).ids, (Ids{2, 3, 7, 3})) << "the first may be empty";
}

TEST(WordTokenizer, AnEmptySecondTextIsCutAsASingleText) {
  for (const KeptPart part : {KeptPart::head, KeptPart::tail, KeptPart::head_tail}) {
    WordTokenizer tokenizer = letters();
    tokenizer.set_kept_part(part);
    for (int longest = 2; longest < 9; ++longest) {
      const Tokens alone = tokenizer.tokens({"a b c d e f"}, longest);
      const Ids zeros(alone.ids.size(), 0);
      for (const Tokens& pair : {tokenizer.tokens({"a b c d e f", ""}, longest),
                                 tokenizer.encode_pair("a b c d e f", "", longest),
                                 tokenizer.encode_pair(Ids{5, 6, 7, 8, 9, 10}, "", longest)}) {
        EXPECT_EQ(pair.ids, alone.ids);
        EXPECT_EQ(pair.types, zeros) << "a pair's, whose first text has 0";
        EXPECT_EQ(pair.truncated, alone.truncated);
      }
    }
  }
}

TEST(WordTokenizer, ASecondTextWithoutPiecesIsOneAllTheSame) {
  EXPECT_EQ(letters().tokens({"a", " "}, 16).ids, (Ids{2, 5, 3, 3}));
}

TEST(WordTokenizer, PairsCarryTokenTypes) {
  const Tokens pair = letters().encode_pair("a b", "c", 16);
  EXPECT_EQ(pair.ids, (Ids{2, 5, 6, 3, 7, 3}));
  EXPECT_EQ(pair.types, (Ids{0, 0, 0, 0, 1, 1}));
}

TEST(Framing, SaysWhatGoesAroundTextsAndPairs) {
  WordTokenizer tokenizer = letters();
  tokenizer.set_framing(Framing("$A [SEP]", "$A [SEP] [SEP] $B [SEP]", tokenizer.vocabulary()));
  EXPECT_EQ(tokenizer.encode("a b c", 3), (Ids{5, 6, 3}));
  const Tokens pair = tokenizer.encode_pair("a b", "c d", 6);
  EXPECT_EQ(pair.ids, (Ids{5, 6, 3, 3, 7, 3}));
  EXPECT_EQ(pair.types, Ids{}) << "no piece has a type";
  expect_error(ErrorCode::usage, "special tokens alone need 3",
               [&] { tokenizer.encode_pair("a", "b", 2); });
}

TEST(Framing, NeedsItsTokensInTheVocabulary) {
  expect_error(ErrorCode::bad_model, "there is no <s> token",
               [] { Framing("<s> $A", "<s> $A $B", letters().vocabulary()); });
}

TEST(WordTokenizer, TheLongerOfAPairIsCutFirst) {
  const WordTokenizer tokenizer = letters();
  EXPECT_EQ(tokenizer.encode_pair("a b c d", "e", 6).ids, (Ids{2, 5, 6, 3, 9, 3}));
  EXPECT_EQ(tokenizer.encode_pair("a", "b c d e", 6).ids, (Ids{2, 5, 3, 6, 7, 3}));
  EXPECT_EQ(tokenizer.encode_pair("a b c", "d e f", 6).ids, (Ids{2, 5, 6, 3, 8, 3}))
      << "between equals the second";
  EXPECT_EQ(tokenizer.encode_pair("a", "b", 3).ids, (Ids{2, 3, 3}));
}

TEST(WordTokenizer, EveryCutFillsTheRoom) {
  const WordTokenizer tokenizer = letters();
  const std::string text = "a b c d e f a b c d";
  for (size_t first = 0; first <= 10; ++first) {
    for (size_t second = 0; second <= 10; ++second) {
      for (int limit = 3; limit <= 24; ++limit) {
        const auto words = [&](size_t count) { return text.substr(0, 2 * count); };
        const Tokens pair = tokenizer.encode_pair(words(first), words(second), limit);
        const size_t special = second == 0 ? 2 : 3;
        ASSERT_EQ(pair.ids.size(), std::min(first + second + special, static_cast<size_t>(limit)));
        ASSERT_EQ(pair.types.size(), pair.ids.size());
      }
    }
  }
}

TEST(WordTokenizer, LengthsWithoutRoomForTheSpecialTokensAreRefused) {
  expect_error(ErrorCode::usage, "special tokens alone need 2", [] { letters().encode("a", 1); });
  expect_error(ErrorCode::usage, "special tokens alone need 3",
               [] { letters().encode_pair("a", "b", 2); });
}

TEST(WordTokenizer, TextThatIsNotUtf8IsRefusedEvenBehindTheCut) {
  expect_error(ErrorCode::bad_data, "byte 0xE9 at offset 8",
               [] { letters().encode("a b c d \xE9", 3); });
  expect_error(ErrorCode::bad_data, "second of a pair",
               [] { letters().encode_pair("a", "\xE9", 9); });
}

}  // namespace
}  // namespace headroom
