#include "text/unicode/utf8.h"

#include <gtest/gtest.h>

#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;

TEST(Utf8, EveryLengthOfSequenceIsValid) {
  EXPECT_EQ(find_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("plain ASCII, longer than eight bytes"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("na\u00EFve \u20AC \U0001F600"), std::nullopt);
  EXPECT_EQ(find_invalid_utf8("\uD7FF\uE000\U0010FFFF"), std::nullopt) << "the edges";
}

TEST(Utf8, TheFirstBadByteIsNamed) {
  EXPECT_EQ(find_invalid_utf8("caf\xE9 au lait"), 3U) << "latin-1";
  EXPECT_EQ(find_invalid_utf8("twelve bytes\xFF"), 12U);
  EXPECT_EQ(find_invalid_utf8("\xC3\xA9\x80"), 2U) << "a continuation byte alone";
}

TEST(Utf8, OverlongFormsAreRefused) {
  EXPECT_EQ(find_invalid_utf8("\xC0\xAF"), 0U);
  EXPECT_EQ(find_invalid_utf8("\xC1\xBF"), 0U);
  EXPECT_EQ(find_invalid_utf8("\xE0\x9F\xBF"), 0U);
  EXPECT_EQ(find_invalid_utf8("\xF0\x8F\xBF\xBF"), 0U);
}

TEST(Utf8, SurrogatesAndTooLargeValuesAreRefused) {
  EXPECT_EQ(find_invalid_utf8("\xED\xA0\x80"), 0U);
  EXPECT_EQ(find_invalid_utf8("\xED\xBF\xBF"), 0U);
  EXPECT_EQ(find_invalid_utf8("\xF4\x90\x80\x80"), 0U);
  EXPECT_EQ(find_invalid_utf8("\xF5\x80\x80\x80"), 0U);
}

TEST(Utf8, ASequenceCutOffAtTheEndIsRefused) {
  EXPECT_EQ(find_invalid_utf8("ab\xC3"), 2U);
  EXPECT_EQ(find_invalid_utf8("ab\xE2\x82"), 2U);
  EXPECT_EQ(find_invalid_utf8("ab\xF0\x9F\x98"), 2U);
}

TEST(Utf8, EveryScalarValueSurvivesEncodingAndDecoding) {
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    std::string bytes;
    append_utf8(bytes, value);
    const CodePoint point = decode_utf8(bytes);
    ASSERT_EQ(point.value, value);
    ASSERT_EQ(point.bytes, static_cast<int>(bytes.size()));
  }
}

TEST(Utf8, CharactersAreCountedNotBytes) {
  EXPECT_EQ(count_characters(""), 0U);
  EXPECT_EQ(count_characters("na\u00EFve \u20AC\U0001F600"), 8U);
}

TEST(Utf8, Latin1BecomesUtf8) {
  EXPECT_EQ(latin1_to_utf8("caf\xE9 \xFF"), "caf\u00E9 \u00FF");
}

TEST(Utf8, TheErrorNamesOriginByteAndOffset) {
  EXPECT_NO_THROW(require_utf8("fine", "read data", "a.csv line 3"));
  expect_error(ErrorCode::bad_data, "read data: a.csv line 3: byte 0xE9 at offset 3 is not valid",
               [] { require_utf8("caf\xE9", "read data", "a.csv line 3"); });
}

}  // namespace
}  // namespace headroom
