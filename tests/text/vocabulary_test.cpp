#include "text/vocabulary.h"

#include <gtest/gtest.h>

#include "base/files/file.h"
#include "data_folder.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;

Vocabulary parse(std::string_view text) {
  return Vocabulary::from_text(text);
}

TEST(Vocabulary, SpecialTokensComeFirst) {
  const Vocabulary vocabulary = Vocabulary::with_words({"oil"});
  EXPECT_EQ(vocabulary.to_text(), "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\noil\n");
  EXPECT_EQ(vocabulary.pad_id(), built_pad_id);
  EXPECT_EQ(vocabulary.unknown_id(), built_unknown_id);
  EXPECT_EQ(vocabulary.cls_id(), built_cls_id);
  EXPECT_EQ(vocabulary.sep_id(), built_sep_id);
  EXPECT_EQ(vocabulary.mask_id(), built_mask_id);
  EXPECT_EQ(vocabulary.id("oil"), special_count);
}

TEST(Vocabulary, AWordItDoesNotHoldIsUnknown) {
  const Vocabulary vocabulary = Vocabulary::with_words({"oil"});
  EXPECT_EQ(vocabulary.id("gas"), vocabulary.unknown_id());
  EXPECT_EQ(vocabulary.find("gas"), std::nullopt);
  EXPECT_EQ(vocabulary.token(5), "oil");
  expect_error(ErrorCode::usage, "id 6 is not in a vocabulary of 6", [&] { vocabulary.token(6); });
}

TEST(Vocabulary, TextFormIsReadBack) {
  const Vocabulary vocabulary = Vocabulary::with_words({"oil", "\u00E9t\u00E9"});
  EXPECT_EQ(parse(vocabulary.to_text()), vocabulary);
}

TEST(Vocabulary, SpecialTokensMayStandAnywhere) {
  const Vocabulary vocabulary = parse("[PAD]\r\noil\r\n[SEP]\r\n[CLS]\r\n[UNK]");
  EXPECT_EQ(vocabulary.size(), 5);
  EXPECT_EQ(vocabulary.sep_id(), 2);
  EXPECT_EQ(vocabulary.cls_id(), 3);
  EXPECT_EQ(vocabulary.unknown_id(), 4);
  EXPECT_EQ(vocabulary.mask_id(), std::nullopt);
}

TEST(Vocabulary, DamagedTextIsRefusedWithTheLine) {
  expect_error(ErrorCode::bad_model, "vocab.txt: is empty", [] { parse(""); });
  expect_error(ErrorCode::bad_model, "line 3 repeats \"oil\" of line 2",
               [] { parse("[PAD]\noil\noil\n"); });
  expect_error(ErrorCode::bad_model, "line 2 is empty", [] { parse("[PAD]\n\n[UNK]\n"); });
  expect_error(ErrorCode::bad_model, "line 2 (\"crude oil\") holds a space",
               [] { parse("[PAD]\ncrude oil\n"); });
  expect_error(ErrorCode::bad_model, "line 2 (\"a\u00A0b\") holds a space",
               [] { parse("[PAD]\na\u00A0b\n"); });
  expect_error(ErrorCode::bad_model, "line 2 is not valid UTF-8", [] { parse("[PAD]\n\xFF\n"); });
  expect_error(ErrorCode::bad_model, "line 1 is 1001 bytes long",
               [] { parse(std::string(1001, 'x')); });
  expect_error(ErrorCode::bad_model, "has no [SEP] token", [] { parse("[PAD]\n[UNK]\n[CLS]\n"); });
}

TEST(Vocabulary, SizeIsLimited) {
  std::string text;
  for (size_t i = 0; i <= Vocabulary::max_size; ++i) text += "x\n";
  expect_error(ErrorCode::bad_model, "more than the limit of 1000000", [&] { parse(text); });
}

TEST(Vocabulary, FrequentWordsAreKeptTiesInByteOrder) {
  VocabularyBuilder builder;
  builder.add("b c a");
  builder.add("c B d");
  EXPECT_EQ(builder.build(9), Vocabulary::with_words({"b", "c", "a", "d"}));
  EXPECT_EQ(builder.build(8), Vocabulary::with_words({"b", "c", "a"}));
  EXPECT_EQ(builder.build(100, 2), Vocabulary::with_words({"b", "c"}));
}

TEST(Vocabulary, SizeMustLeaveRoomForAWord) {
  expect_error(ErrorCode::usage, "a size of 5 was asked for", [] { VocabularyBuilder().build(5); });
}

TEST(Vocabulary, AbsurdlyLongWordsAreNotCounted) {
  VocabularyBuilder builder;
  builder.add("ok " + std::string(101, 'x'));
  EXPECT_EQ(builder.build(10), Vocabulary::with_words({"ok"}));
}

TEST(Vocabulary, BertsOwnFileIsAccepted) {
  const auto file = testing::data_folder() / "bert_uncased_vocab/vocab.txt";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not here";
  const std::string text = read_file(file, ErrorCode::bad_model);
  const Vocabulary vocabulary = parse(text);
  EXPECT_EQ(vocabulary.size(), 30522);
  EXPECT_EQ(vocabulary.cls_id(), 101);
  EXPECT_EQ(vocabulary.to_text(), text);
}

}  // namespace
}  // namespace headroom
