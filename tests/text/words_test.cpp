#include "text/words.h"

#include <gtest/gtest.h>

#include "support.h"
#include "text/scanner_checks.h"

namespace headroom {
namespace {
using testing::expect_error;
using Words = std::vector<std::string>;

TEST(Words, AreLowerCasedRunsOfLettersAndDigits) {
  EXPECT_EQ(split_words("Oil hits $50 on B2B fears"),
            (Words{"oil", "hits", "$", "50", "on", "b2b", "fears"}));
}

TEST(Words, PunctuationAndUnderscoresStandAlone) {
  EXPECT_EQ(split_words("U.S.-led _num_"),
            (Words{"u", ".", "s", ".", "-", "led", "_", "num", "_"}));
  EXPECT_EQ(split_words("\\$A1.62"), (Words{"\\", "$", "a1", ".", "62"}));
}

TEST(Words, SpacesAndControlCharactersOnlySeparate) {
  EXPECT_EQ(split_words("  a\tb\r\nc\x01"
                        "d\x7F"
                        "e  "),
            (Words{"a", "b", "c", "d", "e"}));
  EXPECT_EQ(split_words("a\u00A0b\u2003c\u2028d\u200Be"), (Words{"a", "b", "c", "d", "e"}));
  EXPECT_TRUE(split_words("").empty());
  EXPECT_TRUE(split_words(" \n ").empty());
}

TEST(Words, OtherScriptsAreLowerCasedToo) {
  EXPECT_EQ(split_words("\u00C9COLE \u0416\u0423\u041A"),
            (Words{"\u00E9cole", "\u0436\u0443\u043A"}));
  EXPECT_EQ(split_words("na\u00EFve\u20AC5"), (Words{"na\u00EFve", "\u20AC", "5"}));
}

TEST(Words, MarksAndNumbersOfAnyScriptBelongToAWord) {
  EXPECT_EQ(split_words("e\u0301t\u00E9"), (Words{"e\u0301t\u00E9"})) << "combining acute";
  EXPECT_EQ(split_words("\u0967\u0968 x\u00B2"), (Words{"\u0967\u0968", "x\u00B2"}));
}

TEST(Words, EmojiAndCurlyQuotesStandAlone) {
  EXPECT_EQ(split_words("\u201Chi\u201D\U0001F600\U0001F600"),
            (Words{"\u201C", "hi", "\u201D", "\U0001F600", "\U0001F600"}));
}

TEST(Words, TextThatIsNotUtf8IsRefused) {
  expect_error(ErrorCode::bad_data, "byte 0xE9 at offset 3 is not valid UTF-8",
               [] { split_words("caf\xE9"); });
}

TEST(Words, OneScannerServesManyTexts) {
  testing::expect_serves_many_texts<WordScanner>();
}

}  // namespace
}  // namespace headroom
