#include "text/unicode/unicode.h"

#include <gtest/gtest.h>

#include "text/unicode/tables.h"

#ifdef HEADROOM_UTF8PROC
#include <utf8proc.h>
#endif

namespace headroom {
namespace {

TEST(Unicode, TellsKindsOfCharactersApart) {
  EXPECT_EQ(kind_of(U'é'), CharacterKind::letter);
  EXPECT_EQ(kind_of(U'٣'), CharacterKind::number);
  EXPECT_EQ(kind_of(0x301), CharacterKind::nonspacing_mark);
  EXPECT_EQ(kind_of(0x903), CharacterKind::spacing_mark);
  EXPECT_EQ(kind_of(U'«'), CharacterKind::punctuation);
  EXPECT_EQ(kind_of(U'€'), CharacterKind::symbol);
  EXPECT_EQ(kind_of(0x3000), CharacterKind::separator);
  EXPECT_EQ(kind_of(0x7F), CharacterKind::control);
  EXPECT_EQ(kind_of(0x200D), CharacterKind::format);
  EXPECT_EQ(kind_of(0xE000), CharacterKind::private_use);
  EXPECT_EQ(kind_of(0x10FFFF), CharacterKind::other);
}

TEST(Unicode, DecomposesDownToTheLastMark) {
  const Decomposed parts = decomposition_of(0x1F82);  // alpha with three marks
  ASSERT_EQ(parts.count, 4);
  EXPECT_EQ(parts.characters, (std::array<char32_t, 4>{0x3B1, 0x313, 0x300, 0x345}));
  EXPECT_EQ(decomposition_of(U'각').count, 3);
  EXPECT_EQ(decomposition_of(U'x').characters[0], U'x');
}

// What makes it right to leave utf8proc out.
TEST(UnicodeTables, AgreeWithUtf8procOnEveryCharacter) {
#ifdef HEADROOM_UTF8PROC
  if (std::string_view(utf8proc_unicode_version()) != "15.0.0") {
    GTEST_SKIP() << "the tables are of Unicode 15.0.0, this utf8proc knows "
                 << utf8proc_unicode_version();
  }
  for (char32_t c = 0; c < 0x110000; ++c) {
    ASSERT_EQ(tabled_kind_of(c), kind_of(c)) << static_cast<uint32_t>(c);
    ASSERT_EQ(tabled_lower_case_of(c), lower_case_of(c)) << static_cast<uint32_t>(c);
    ASSERT_EQ(tabled_combining_class_of(c), combining_class_of(c)) << static_cast<uint32_t>(c);
    const Decomposed ours = tabled_decomposition_of(c);
    const Decomposed theirs = decomposition_of(c);
    ASSERT_EQ(ours.count, theirs.count) << static_cast<uint32_t>(c);
    ASSERT_EQ(ours.characters, theirs.characters) << static_cast<uint32_t>(c);
  }
#else
  GTEST_SKIP() << "this build has no utf8proc to compare with";
#endif
}

}  // namespace
}  // namespace headroom
