#include "text/letter_case.h"

#include <gtest/gtest.h>

#include <vector>

#include "text/wordpiece/wordpiece_tokenizer.h"

namespace headroom {
namespace {
using Types = std::vector<int32_t>;

Types types_of(std::string_view text, const std::vector<TextSpan>& spans) {
  Types types(spans.size(), -1);
  set_letter_cases(text, spans, types);
  return types;
}

TEST(LetterCase, IsThatOfTheWholeWord) {
  EXPECT_EQ(types_of("in Paris NATO eBay A4", {{0, 2}, {3, 8}, {9, 13}, {14, 18}, {19, 21}}),
            (Types{0, 1, 2, 3, 4}));
  EXPECT_EQ(types_of("McDonald", {{0, 2}, {2, 8}}), (Types{3, 3})) << "pieces of one word";
  EXPECT_EQ(types_of("I", {{0, 1}}), (Types{1}));
}

TEST(LetterCase, PunctuationEndsAWordAndHasNone) {
  EXPECT_EQ(types_of("U.S.", {{0, 1}, {1, 2}, {2, 3}, {3, 4}}), (Types{1, 0, 1, 0}));
  EXPECT_EQ(types_of("x-Ray", {{0, 1}, {1, 2}, {2, 5}}), (Types{0, 0, 1}));
}

TEST(LetterCase, CountsCharactersOfAnyScript) {
  EXPECT_EQ(types_of("\u00E9t\u00E9 \u0416\u0443\u043A \u4E2D", {{0, 3}, {4, 7}, {8, 9}}),
            (Types{0, 1, 0}));
}

TEST(LetterCase, IsToldByATokenizerThatIsAskedFor) {
  WordPieceTokenizer tokenizer(Vocabulary::with_words({"in", "par", "##is"}), true);
  EXPECT_TRUE(tokenizer.tokens({"in Paris"}, 16).types.empty());
  EXPECT_TRUE(tokenizer.typed_pieces("in Paris").types.empty());
  tokenizer.set_letter_case(true);
  EXPECT_EQ(tokenizer.tokens({"in Paris"}, 16).types, (Types{0, 0, 1, 1, 0}));
  EXPECT_EQ(tokenizer.tokens({"in Paris"}, 4).types, (Types{0, 0, 1, 0})) << "truncated";
  EXPECT_EQ(tokenizer.typed_pieces("in Paris").types, (Types{0, 1, 1}));
  EXPECT_EQ(tokenizer.tokens({"in", "Paris"}, 16).types, (Types{0, 0, 0, 1, 1, 1}))
      << "a pair's types tell its texts";
}

TEST(LetterCase, ChangesNoTokens) {
  const WordPieceTokenizer plain(Vocabulary::with_words({"in", "par", "##is"}), true);
  WordPieceTokenizer telling = plain;
  telling.set_letter_case(true);
  for (const std::string text : {"in Paris, in", "", "PARIS paris"}) {
    for (int longest = 2; longest < 9; ++longest) {
      const Tokens expected = plain.tokens({text}, longest);
      const Tokens found = telling.tokens({text}, longest);
      EXPECT_EQ(found.ids, expected.ids);
      EXPECT_EQ(found.truncated, expected.truncated);
      EXPECT_EQ(found.types.size(), found.ids.size());
    }
  }
}

}  // namespace
}  // namespace headroom
