// Normalisers one by one, and what they make of offsets.
#include <gtest/gtest.h>

#include "support.h"
#include "text/pipeline/pipeline_checks.h"

namespace headroom {
namespace {
using namespace testing;

using Spans = std::vector<TextSpan>;

TEST(UnicodeForms, ComposeAndDecompose) {
  EXPECT_EQ(normalised({{"type", "NFC"}}, "e\u0301 \u212B \u1100\u1161\u11A8"), "é Å 각");
  EXPECT_EQ(normalised({{"type", "NFD"}}, "é각"), "e\u0301\u1100\u1161\u11A8");
  EXPECT_EQ(normalised({{"type", "NFKC"}}, "ﬁ ½ ｗ"), "fi 1⁄2 w");
  EXPECT_EQ(normalised({{"type", "NFKD"}}, "ﬁé"), "fie\u0301");
  // Marks in the order of their classes, and one that another of its class keeps apart.
  EXPECT_EQ(normalised({{"type", "NFD"}}, "q\u0307\u0323"), "q\u0323\u0307");
  EXPECT_EQ(normalised({{"type", "NFC"}}, "a\u0305\u0301"), "a\u0305\u0301");
}

TEST(UnicodeForms, AComposedCharacterStandsForItsFirstPart) {
  EXPECT_EQ(origins({{"type", "NFC"}}, "e\u0301x"), (Spans{{0, 1}, {3, 4}}));
  EXPECT_EQ(origins({{"type", "NFC"}}, "éx"), (Spans{{0, 2}, {2, 3}}));
  EXPECT_EQ(origins({{"type", "NFD"}}, "éx"), (Spans{{0, 2}, {0, 2}, {2, 3}}));
  EXPECT_EQ(origins({{"type", "NFKC"}}, "ﬁx"), (Spans{{0, 3}, {0, 3}, {3, 4}}));
}

TEST(Lowercase, OneCharacterBecomesTwo) {
  EXPECT_EQ(normalised({{"type", "Lowercase"}}, "İSΣ"), "i\u0307sσ");
  EXPECT_EQ(origins({{"type", "Lowercase"}}, "İS"), (Spans{{0, 2}, {0, 2}, {2, 3}}));
}

TEST(StripAccents, TakesEveryMark) {
  EXPECT_EQ(normalised({{"type", "StripAccents"}}, "e\u0301\u0903a"), "ea");
}

TEST(Strip, TakesWhiteSpaceOfAnyKindFromTheEnds) {
  EXPECT_EQ(normalised({{"type", "Strip"}}, " \u00A0a b\u3000"), "a b");
  EXPECT_EQ(normalised({{"type", "Strip"}, {"strip_left", false}}, " a "), " a");
  EXPECT_EQ(normalised({{"type", "Strip"}}, "  "), "");
  EXPECT_EQ(origins({{"type", "Strip"}}, "  ab "), (Spans{{2, 3}, {3, 4}}));
}

TEST(Prepend, IsAlignedWithTheFirstCharacter) {
  const Json prepend = {{"type", "Prepend"}, {"prepend", "▁"}};
  EXPECT_EQ(normalised(prepend, "ab"), "▁ab");
  EXPECT_EQ(normalised(prepend, ""), "");
  EXPECT_EQ(origins(prepend, "ab"), (Spans{{0, 1}, {0, 1}, {1, 2}}));
}

TEST(Replace, TakesStringsAndExpressions) {
  const Json spaces = {{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}};
  EXPECT_EQ(normalised(spaces, "a   b c"), "a b c");
  EXPECT_EQ(origins(spaces, "a   b"), (Spans{{0, 1}, {3, 4}, {4, 5}}));  // the last of the spaces
  const Json quotes = {{"type", "Replace"}, {"pattern", {{"String", "``"}}}, {"content", "\""}};
  EXPECT_EQ(normalised(quotes, "``a``"), "\"a\"");
}

TEST(BertNormalizer, HasSwitchesOfItsOwn) {
  const auto bert = [](const char* key, const Json& value) {
    return Json{{"type", "BertNormalizer"}, {key, value}};
  };
  EXPECT_EQ(normalised(bert("lowercase", true), "Ünï\u0007 東"), "uni  東 ");
  EXPECT_EQ(normalised(bert("strip_accents", false), "Ü"), "ü");
  EXPECT_EQ(normalised(bert("lowercase", false), "Ü"), "Ü");
  EXPECT_EQ(normalised(bert("handle_chinese_chars", false), "a東"), "a東");
  EXPECT_EQ(normalised(bert("clean_text", false), "a\u0007"), "a\u0007");
}

TEST(Nmt, DropsControlCharactersAndKeepsOtherSpaces) {
  EXPECT_EQ(normalised({{"type", "Nmt"}}, "a\u0001b\tc\u200Bd\u00A0"), "ab c d\u00A0");
}

TEST(NormalizerSequence, RunsInOrder) {
  const Json both = {{"type", "Sequence"},
                     {"normalizers", {{{"type", "NFD"}}, {{"type", "StripAccents"}}}}};
  EXPECT_EQ(normalised(both, "é"), "e");
}

TEST(Normalizers, WhatIsNotKnownIsNamed) {
  expect_error(ErrorCode::bad_model, "type is \"Magic\", which is not read here; known are Bert",
               [] {
                 make_normalizer({{"type", "Magic"}});
               });
  expect_error(ErrorCode::bad_model, "is not base64", [] {
    make_normalizer({{"type", "Precompiled"}, {"precompiled_charsmap", "!"}});
  });
  expect_error(ErrorCode::bad_model, "no SentencePiece table", [] {
    make_normalizer({{"type", "Precompiled"}, {"precompiled_charsmap", "AAAA"}});
  });
}

}  // namespace
}  // namespace headroom
