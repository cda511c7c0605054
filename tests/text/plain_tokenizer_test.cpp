// Tokens of running text: what they are, and that they make the text again.
#include "text/plain_tokenizer.h"

#include <gtest/gtest.h>

#include "support.h"
#include "text/wordpiece/wordpiece_tokenizer.h"

namespace headroom {
namespace {

TEST(CharacterTokenizer, MakesTheSameTextAgain) {
  const std::string text = "To be,\n\tor not: \u00e4\u6f22";
  const CharacterTokenizer tokenizer(CharacterTokenizer::build(text));
  const std::vector<int32_t> ids = tokenizer.pieces(text);
  EXPECT_EQ(ids.size(), 18U);
  EXPECT_EQ(tokenizer.join(ids), text);
}

TEST(CharacterTokenizer, KnowsTheMostFrequentCharacterFirst) {
  const Vocabulary vocabulary = CharacterTokenizer::build("abcabaa  ");
  EXPECT_EQ(vocabulary.size(), special_count + 4);
  EXPECT_EQ(vocabulary.token(special_count), "a");
  EXPECT_EQ(vocabulary.token(special_count + 1), "b");
}

TEST(CharacterTokenizer, WhatItCannotSpellIsUnknown) {
  const std::string no_break_space = "a\u00a0b";
  const CharacterTokenizer tokenizer(CharacterTokenizer::build(no_break_space));
  EXPECT_EQ(tokenizer.vocabulary().size(), special_count + 2);
  EXPECT_EQ(tokenizer.pieces(no_break_space)[1], tokenizer.vocabulary().unknown_id());
}

TEST(CharacterTokenizer, RefusesWhatIsNotUtf8) {
  const CharacterTokenizer tokenizer(CharacterTokenizer::build("a"));
  testing::expect_error(ErrorCode::bad_data, "UTF-8", [&] { tokenizer.pieces("a\xff"); });
}

TEST(SpaceTokenizer, KeepsWordsAsWrittenAndLineEnds) {
  const std::string text = "The <unk> @-@ cat\nsat .\n";
  const SpaceTokenizer tokenizer(SpaceTokenizer::build(text, 100, 1));
  const std::vector<int32_t> ids = tokenizer.pieces(text);
  ASSERT_EQ(ids.size(), 8U);
  EXPECT_EQ(tokenizer.vocabulary().token(ids[1]), "<unk>");
  EXPECT_EQ(ids[4], tokenizer.vocabulary().sep_id());
  EXPECT_EQ(tokenizer.join(ids), text);
}

TEST(SpaceTokenizer, KeepsNoMoreThanWasAskedFor) {
  const Vocabulary vocabulary = SpaceTokenizer::build("a a b b c", special_count + 2, 1);
  EXPECT_EQ(vocabulary.size(), special_count + 2);
  EXPECT_FALSE(vocabulary.find("c"));
  EXPECT_FALSE(SpaceTokenizer::build("a a b", 100, 2).find("b"));
}

TEST(Tokenizer, JoinsPiecesIntoWords) {
  const WordPieceTokenizer tokenizer(Vocabulary::with_words({"Hund", "##e", "l", "##auf", "."}),
                                     /*lower_case=*/false);
  std::vector<int32_t> ids = tokenizer.encode("Hunde lauf.", 20);
  EXPECT_EQ(tokenizer.join(ids), "Hunde lauf .");
  EXPECT_EQ(tokenizer.pieces("Hunde lauf."), std::vector<int32_t>(ids.begin() + 1, ids.end() - 1));
}

}  // namespace
}  // namespace headroom
