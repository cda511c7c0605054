#include "text/truncation.h"

#include <gtest/gtest.h>

#include <string>

#include "text/word_tokenizer.h"
#include "text/wordpiece/wordpiece_tokenizer.h"

namespace headroom {
namespace {
using Ids = std::vector<int32_t>;

constexpr int32_t a = 5;  // the letters of letters(), in order
constexpr int32_t cls = 2;
constexpr int32_t sep = 3;

WordTokenizer letters(KeptPart keeps) {
  WordTokenizer tokenizer(Vocabulary::with_words({"a", "b", "c", "d", "e", "f", "g", "h"}));
  tokenizer.set_kept_part(keeps);
  return tokenizer;
}

TEST(HeadTail, KeepsAQuarterOfTheBeginningAndTheRestOfTheEnd) {
  EXPECT_EQ(letters(KeptPart::head_tail).encode("a b c d e f", 6),
            (Ids{cls, a, a + 3, a + 4, a + 5, sep}));
  EXPECT_EQ(head_pieces(KeptPart::head_tail, 510), 127U);
  EXPECT_EQ(head_pieces(KeptPart::head, 510), 510U);
  EXPECT_EQ(head_pieces(KeptPart::tail, 510), 0U);
}

TEST(HeadTail, LeavesATextThatFitsAsItIs) {
  const Tokens whole = letters(KeptPart::head_tail).tokens({"a b c d"}, 6);
  EXPECT_EQ(whole.ids, (Ids{cls, a, a + 1, a + 2, a + 3, sep}));
  EXPECT_FALSE(whole.truncated);
  EXPECT_TRUE(letters(KeptPart::head_tail).tokens({"a b c d e"}, 6).truncated);
  EXPECT_EQ(letters(KeptPart::head_tail).encode("", 6), (Ids{cls, sep}));
}

TEST(HeadTail, WithoutRoomForAQuarterIsTheEnd) {
  EXPECT_EQ(letters(KeptPart::head_tail).encode("a b c d", 4), (Ids{cls, a + 2, a + 3, sep}));
  EXPECT_EQ(letters(KeptPart::head_tail).encode("a b c d", 2), (Ids{cls, sep}));
}

TEST(Tail, KeepsTheEnd) {
  EXPECT_EQ(letters(KeptPart::tail).encode("a b c d e f", 6),
            (Ids{cls, a + 2, a + 3, a + 4, a + 5, sep}));
}

TEST(HeadTail, OffsetsAreThoseOfTheWholeText) {
  const Encoding encoding =
      letters(KeptPart::head_tail).encode_with_offsets({"\u00E9\u00E9 b c d e f"}, 6);
  EXPECT_EQ(encoding.ids, (Ids{cls, 1, a + 3, a + 4, a + 5, sep}));
  const std::vector<TextSpan> expected = {{0, 0}, {0, 2}, {7, 8}, {9, 10}, {11, 12}, {0, 0}};
  EXPECT_EQ(encoding.offsets, expected);
  EXPECT_EQ(encoding.sources, (std::vector<int8_t>{-1, 0, 0, 0, 0, -1}));
}

TEST(HeadTail, PairsLoseTheirEnds) {
  const Ids cut = letters(KeptPart::head).encode_pair("a b c d e", "f g h", 7).ids;
  EXPECT_EQ(letters(KeptPart::head_tail).encode_pair("a b c d e", "f g h", 7).ids, cut);
  EXPECT_EQ(letters(KeptPart::head_tail).encode_with_offsets({"a b c d e", "f g h"}, 7).ids, cut);
}

TEST(HeadTail, AnEmptySecondTextIsNone) {
  const WordTokenizer tokenizer = letters(KeptPart::head_tail);
  EXPECT_EQ(tokenizer.tokens({"a b c d e f", ""}, 6).ids, tokenizer.encode("a b c d e f", 6));
}

TEST(Suffix, BeginsAtASpace) {
  EXPECT_EQ(suffix_begin("one two three", 100), 0U);
  EXPECT_EQ(suffix_begin("one two three", 13), 0U);
  EXPECT_EQ(suffix_begin("one two three", 12), 3U);
  EXPECT_EQ(suffix_begin("one two three", 9), 7U) << "the next one";
}

TEST(Suffix, BeginsBetweenCharactersWhereThereIsNoSpace) {
  EXPECT_EQ(suffix_begin("abcdefgh", 5), 3U);
  EXPECT_EQ(suffix_begin("\u00E9\u00E9\u00E9\u00E9", 5), 4U);
  EXPECT_EQ(suffix_begin("abcdef h", 5), 3U) << "not one that leaves hardly anything";
}

// Words of all lengths, with a capital, an accent and a full stop here and there.
std::string ordinary_text(size_t words) {
  std::string text;
  for (size_t i = 0; i < words; ++i) {
    const size_t letters = 1 + i * i % 11;
    for (size_t j = 0; j < letters; ++j) text += static_cast<char>('a' + (i * 7 + j * 3) % 26);
    if (i % 13 == 0) text += "\u00E9";
    if (i % 9 == 0) text += i % 2 == 0 ? "." : ", [SEP]";
    text += i % 50 == 0 ? "\n" : " ";
  }
  return text;
}

WordPieceTokenizer syllables() {
  std::vector<std::string> pieces = {".", ",", "[", "]", "\u6771"};
  for (char c = 'a'; c <= 'z'; ++c) {
    pieces.push_back(std::string(1, c));
    pieces.push_back("##" + std::string(1, c));
    pieces.push_back("##" + std::string({c, static_cast<char>('a' + (c - 'a' + 3) % 26)}));
  }
  WordPieceTokenizer tokenizer(Vocabulary::with_words(pieces), true);
  tokenizer.set_kept_part(KeptPart::head_tail);
  return tokenizer;
}

// What head_tail keeps of all pieces.
Ids ends_of(const Ids& pieces, size_t room) {
  Ids kept(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(room / 4));
  kept.insert(kept.end(), pieces.end() - static_cast<std::ptrdiff_t>(room - room / 4),
              pieces.end());
  return kept;
}

TEST(HeadTail, OfALongTextAreThePiecesOfTheWhole) {
  const WordPieceTokenizer tokenizer = syllables();
  for (const size_t words : {70U, 200U, 2000U, 20000U}) {
    const std::string text = ordinary_text(words);
    for (const int max_tokens : {6, 18, 130}) {
      const Ids expected =
          tokenizer.frame(ends_of(tokenizer.pieces(text), static_cast<size_t>(max_tokens) - 2));
      EXPECT_EQ(tokenizer.encode(text, max_tokens), expected) << words;
      EXPECT_EQ(tokenizer.encode_with_offsets({text}, max_tokens).ids, expected) << words;
    }
  }
}

TEST(HeadTail, OfALongTextHaveTheOffsetsOfTheWhole) {
  const WordPieceTokenizer tokenizer = syllables();
  const std::string text = ordinary_text(5000);
  const Encoding whole = tokenizer.encode_with_offsets({text}, 1 << 20);
  const Encoding ends = tokenizer.encode_with_offsets({text}, 130);
  ASSERT_EQ(ends.ids.size(), 130U);
  for (size_t i = 0; i <= 32; ++i) EXPECT_EQ(ends.offsets[i], whole.offsets[i]);
  const size_t skipped = whole.ids.size() - ends.ids.size();
  for (size_t i = 33; i < 130; ++i) EXPECT_EQ(ends.offsets[i], whole.offsets[i + skipped]);
}

TEST(HeadTail, OfATextWithoutSpacesAreThePiecesOfTheWhole) {
  const WordPieceTokenizer tokenizer = syllables();
  std::string text;
  for (int i = 0; i < 5000; ++i) text += i % 7 == 0 ? "\u00E9." : "\u6771";
  EXPECT_EQ(tokenizer.encode(text, 66), tokenizer.frame(ends_of(tokenizer.pieces(text), 64)));
}

// Counts what it is asked to cut into pieces.
class CountingTokenizer : public WordTokenizer {
 public:
  using WordTokenizer::WordTokenizer;
  mutable size_t bytes = 0;

 protected:
  void append_pieces(std::string_view text, size_t limit, Ids& ids) const override {
    if (limit > 1000) bytes += text.size();  // otherwise it stops early
    WordTokenizer::append_pieces(text, limit, ids);
  }
};

TEST(HeadTail, OfAVeryLongTextOnlyItsEndsAreCutIntoPieces) {
  CountingTokenizer tokenizer(Vocabulary::with_words({"a", "b"}));
  tokenizer.set_kept_part(KeptPart::head_tail);
  std::string text;
  for (int i = 0; i < 500000; ++i) text += "a b ";
  EXPECT_EQ(tokenizer.encode(text, 130).size(), 130U);
  EXPECT_LT(tokenizer.bytes, 10000U);
}

TEST(HeadTail, FindsAnEndBehindManySpaces) {
  const WordTokenizer tokenizer = letters(KeptPart::tail);
  const std::string text = "a b c d e f g h" + std::string(50000, ' ');
  EXPECT_EQ(tokenizer.encode(text, 4), (Ids{cls, a + 6, a + 7, sep}));
}

}  // namespace
}  // namespace headroom
