#include "text/wordpiece/bert_normalizer.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "support.h"
#include "text/scanner_checks.h"
#include "text/unicode/utf8.h"

namespace headroom {
namespace {
using testing::expect_error;
using Words = std::vector<std::string>;

Words scan(std::string_view text, bool lower_case = true) {
  Words words;
  BertWordScanner scanner(lower_case);
  scanner.reset(text);
  while (scanner.next()) words.emplace_back(scanner.word());
  return words;
}

Words scan_cased(std::string_view text) {
  return scan(text, false);
}

TEST(BertNormalizer, WordsAreLowerCasedAndPunctuationStandsAlone) {
  EXPECT_EQ(scan("Oil hits $50, U.S.-led"),
            (Words{"oil", "hits", "$", "50", ",", "u", ".", "s", ".", "-", "led"}));
  EXPECT_EQ(scan("x^2+y_2=z~3`|\\"),
            (Words{"x", "^", "2", "+", "y", "_", "2", "=", "z", "~", "3", "`", "|", "\\"}));
}

TEST(BertNormalizer, CasedWordsKeepCaseAndAccents) {
  EXPECT_EQ(scan_cased("Caf\u00E9 \u0130stanbul, e\u0301t\u00E9"),
            (Words{"Caf\u00E9", "\u0130stanbul", ",", "e\u0301t\u00E9"}));
}

TEST(BertNormalizer, AccentsGoWithTheCase) {
  EXPECT_EQ(scan("na\u00EFve R\u00C9SUM\u00C9 \u00C5ngstr\u00F6m"),
            (Words{"naive", "resume", "angstrom"}));
  EXPECT_EQ(scan("e\u0301\u0327t"), (Words{"et"})) << "combining marks, without a composed form";
  EXPECT_EQ(scan("\u0130stanbul \u0131\u015F\u0131k"), (Words{"istanbul", "\u0131s\u0131k"}))
      << "the Turkish i";
  EXPECT_EQ(scan("\u0301"), Words{}) << "a mark alone";
}

TEST(BertNormalizer, OtherScriptsAreLowerCased) {
  EXPECT_EQ(scan("\u0416\u0423\u041A \u039F\u0394\u039F\u03A3 \u1E9E"),
            (Words{"\u0436\u0443\u043A", "\u03BF\u03B4\u03BF\u03C3", "\u00DF"}))
      << "each letter by itself: no final sigma";
}

TEST(BertNormalizer, CharactersThatDecomposeIntoPunctuationArePunctuation) {
  EXPECT_EQ(scan("a\u2260b\u037Ec"), (Words{"a", "=", "b", ";", "c"}));
  EXPECT_EQ(scan_cased("a\u2260b\u037Ec"), (Words{"a\u2260b", "\u037E", "c"}));
}

TEST(BertNormalizer, IdeographsStandAlone) {
  EXPECT_EQ(scan("\u6771\u4EACis\u65E5"), (Words{"\u6771", "\u4EAC", "is", "\u65E5"}));
  EXPECT_EQ(scan("\uF900"), (Words{"\u8C48"})) << "compatibility ideographs are decomposed";
  EXPECT_EQ(scan("\u3072\u3089"), (Words{"\u3072\u3089"})) << "Hiragana is not an ideograph";
}

TEST(BertNormalizer, HangulSyllablesBecomeLetters) {
  EXPECT_EQ(scan("\uD55C"), (Words{"\u1112\u1161\u11AB"}));
  EXPECT_EQ(scan_cased("\uD55C"), (Words{"\uD55C"}));
}

TEST(BertNormalizer, EverySortOfSpaceSeparates) {
  EXPECT_EQ(scan("a\tb\nc\r\nd\u00A0e\u2003f\u2028g\u3000h"),
            (Words{"a", "b", "c", "d", "e", "f", "g", "h"}));
  EXPECT_EQ(scan(""), Words{});
  EXPECT_EQ(scan(" \u00A0 "), Words{});
}

TEST(BertNormalizer, ControlAndFormatCharactersVanishInsideAWord) {
  EXPECT_EQ(scan(std::string_view("a\0b\x01"
                                  "c\x7F"
                                  "d\x0B"
                                  "e",
                                  9)),
            (Words{"abcde"}));
  EXPECT_EQ(scan("zero\u200Bwidth\u00ADsoft\uFEFF\uFFFD\u0085hyphen\uE000"),
            (Words{"zerowidthsofthyphen"}));
}

TEST(BertNormalizer, UnassignedCharactersStay) {
  EXPECT_EQ(scan("a\u0378b"), (Words{"a\u0378b"}));
}

TEST(BertNormalizer, EmojiStickTogetherAndLoseTheirJoiners) {
  EXPECT_EQ(scan("ok\U0001F468\u200D\U0001F469\uFE0F!"), (Words{"ok\U0001F468\U0001F469", "!"}))
      << "ZWJ is a format character, the variation selector a mark";
}

TEST(BertNormalizer, MarksThatStayAreSortedByClass) {
  // U+1D165 has class 216, U+1D16D 226; both are spacing marks, which are not dropped.
  EXPECT_EQ(scan("a\U0001D16D\u0301\U0001D165"), (Words{"a\U0001D165\U0001D16D"}));
  EXPECT_EQ(scan("a\U0001D16D\u0E31\U0001D165"), (Words{"a\U0001D16D\U0001D165"}))
      << "not over a mark of class 0";
  EXPECT_EQ(scan_cased("a\U0001D16D\U0001D165"), (Words{"a\U0001D16D\U0001D165"}));
}

// Sorting each mark in as it comes takes minutes for this many, and one request may hold them.
TEST(BertNormalizer, AWordOfCombiningMarksTakesTimeInProportion) {
  std::string text = "a";
  std::string sorted = "a";
  constexpr int count = 200'000;
  for (int i = 0; i < count; ++i) text += "\U0001D16D";
  for (int i = 0; i < count; ++i) text += "\U0001D165";
  for (int i = 0; i < count; ++i) sorted += "\U0001D165";
  for (int i = 0; i < count; ++i) sorted += "\U0001D16D";
  EXPECT_EQ(scan(text), Words{sorted});
}

TEST(BertNormalizer, TextThatIsNotUtf8IsRefused) {
  expect_error(ErrorCode::bad_data, "byte 0xE9 at offset 3 is not valid UTF-8",
               [] { scan("caf\xE9"); });
  expect_error(ErrorCode::bad_data, "byte 0xE9 at offset 3 is not valid UTF-8",
               [] { split_bert_words("caf\xE9"); });
}

TEST(BertNormalizer, OneScannerServesManyTexts) {
  testing::expect_serves_many_texts<BertWordScanner>();
}

void expect_as_in_the_plain_version(char32_t first, char32_t last) {
  for (char32_t value = first; value <= last; ++value) {
    std::string text = "A";
    append_utf8(text, value);
    text += "b";
    ASSERT_EQ(scan(text), split_bert_words(text)) << static_cast<uint32_t>(value);
    ASSERT_EQ(scan_cased(text), split_bert_words(text, false)) << static_cast<uint32_t>(value);
  }
}

TEST(BertNormalizer, EveryCharacterIsTreatedAsInThePlainVersion) {
  expect_as_in_the_plain_version(0, 0xD7FF);
  expect_as_in_the_plain_version(0xE000, 0x3FFFF);
  expect_as_in_the_plain_version(0xE0000, 0xE0FFF);  // nothing is assigned in between
  expect_as_in_the_plain_version(0x10FF00, 0x10FFFF);
}

TEST(BertNormalizer, MixedTextIsTreatedAsInThePlainVersion) {
  const std::vector<std::string> parts = {
      "a",      "Z",      "9",      " ",      "\n",     "\x01",       ".",          "[",
      "\u00E9", "\u0301", "\u0327", "\u00A0", "\u2014", "\u4E00",     "\uF900",     "\uD55C",
      "\u2260", "\u200D", "\uFFFD", "\u0CC0", "\u0E31", "\U0001D165", "\U0001D16D", "\U0001F600"};
  Random random{1};
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (uint64_t i = random.below(12); i > 0; --i) text += parts[random.below(parts.size())];
    ASSERT_EQ(scan(text), split_bert_words(text)) << text;
    ASSERT_EQ(scan_cased(text), split_bert_words(text, false)) << text;
  }
}

TEST(BertNormalizer, PunctuationAndIdeographsStandAlone) {
  EXPECT_TRUE(stands_alone_for_bert(U'$'));
  EXPECT_TRUE(stands_alone_for_bert(U'\u2014'));
  EXPECT_TRUE(stands_alone_for_bert(U'\u4E00'));
  EXPECT_FALSE(stands_alone_for_bert(U'a'));
  EXPECT_FALSE(stands_alone_for_bert(U'\u20AC')) << "a symbol beyond ASCII";
}

}  // namespace
}  // namespace headroom
