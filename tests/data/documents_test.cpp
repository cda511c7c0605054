#include "data/formats/documents.h"

#include <gtest/gtest.h>

#include "archives.h"
#include "support.h"
#include "text/word_tokenizer.h"

namespace headroom {
namespace {
using testing::expect_error;
using testing::gzip;
using testing::TemporaryFolder;
using Texts = std::vector<std::string>;

class Documents : public ::testing::Test {
 protected:
  static Texts read(const std::vector<std::string>& sources) {
    Texts documents;
    read_documents(sources, "", [&](const std::string& text) { documents.push_back(text); });
    return documents;
  }
  Texts read_content(std::string_view content) const {
    return read({folder.write("text", content).string()});
  }
  TemporaryFolder folder;
};

TEST_F(Documents, AreSeparatedByBlankLines) {
  EXPECT_EQ(read_content("one\ntwo\n\nthree\n"), (Texts{"one\ntwo", "three"}));
}

TEST_F(Documents, ManyBlankLinesAreOneSeparator) {
  EXPECT_EQ(read_content("\n\none\n\n \t \n\ntwo\n\n\n"), (Texts{"one", "two"}));
}

TEST_F(Documents, TheLastLineNeedsNoEnd) {
  EXPECT_EQ(read_content("one\n\ntwo"), (Texts{"one", "two"}));
}

TEST_F(Documents, OfWindowsAreTheSame) {
  EXPECT_EQ(read_content("one\r\ntwo\r\n\r\nthree\r\n"), (Texts{"one\ntwo", "three"}));
}

TEST_F(Documents, AByteOrderMarkIsNoText) {
  EXPECT_EQ(read_content("\xEF\xBB\xBFone\n"), (Texts{"one"}));
}

TEST_F(Documents, OfGzipAreReadAsTheyAre) {
  EXPECT_EQ(read_content(gzip("one\n\ntwo\n")), (Texts{"one", "two"}));
}

TEST_F(Documents, OfADataSpecAreItsTexts) {
  const std::string csv = folder.write("rows.csv", "1,good film\n2,\n1,dull\n").string();
  EXPECT_EQ(read({"csv:" + csv}), (Texts{"good film", "dull"})) << "an empty text is none";
}

TEST_F(Documents, OfPairsAreBothTexts) {
  const std::string tsv = folder.write("rows.tsv", "a\tb\tyes\nc\td\tno\n").string();
  EXPECT_EQ(read({"tsv:" + tsv + "?label=3&text=1&text_pair=2"}), (Texts{"a", "b", "c", "d"}));
}

TEST_F(Documents, OneClassIsEnough) {
  const std::string csv = folder.write("rows.csv", "1,good\n1,fine\n").string();
  EXPECT_EQ(read({"csv:" + csv}), (Texts{"good", "fine"}));
}

TEST_F(Documents, OfSeveralSourcesComeInOrder) {
  const std::string text = folder.write("a.txt", "one\n\ntwo\n").string();
  const std::string csv = folder.write("b.csv", "1,three\n").string();
  EXPECT_EQ(read({"csv:" + csv, text}), (Texts{"three", "one", "two"}));
  EXPECT_EQ(read({"text:" + text + "+csv:" + csv}), (Texts{"one", "two", "three"}));
}

TEST_F(Documents, AMissingFileIsAUsageError) {
  const std::string nowhere = (folder.path() / "nowhere.txt").string();
  expect_error(ErrorCode::usage, "nowhere.txt", [&] { read({nowhere}); });
  expect_error(ErrorCode::usage, "nowhere.txt", [&] { read({"text:" + nowhere}); });
  expect_error(ErrorCode::usage, "nowhere.txt", [&] { read({"csv:" + nowhere}); });
}

TEST_F(Documents, AnEmptyFileIsBadData) {
  for (const std::string& content : {std::string(), std::string("\n \n\r\n"), gzip("")}) {
    expect_error(ErrorCode::bad_data, "holds no text", [&] { read_content(content); });
  }
}

TEST_F(Documents, AnEmptySourceAmongOthersIsBadData) {
  const std::string full = folder.write("full.txt", "one\n").string();
  const std::string empty = folder.write("empty.txt", "").string();
  expect_error(ErrorCode::bad_data, "empty.txt holds no text", [&] { read({full, empty}); });
}

TEST_F(Documents, BytesThatAreNotUtf8AreBadDataWithFileAndLine) {
  expect_error(ErrorCode::bad_data, "text line 3", [&] { read_content("one\n\ntw\xffo\n"); });
}

TEST_F(Documents, ADamagedGzipIsBadData) {
  const std::string whole = gzip("one\n\ntwo\n");
  expect_error(ErrorCode::bad_data, "text",
               [&] { read_content(whole.substr(0, whole.size() - 6)); });
}

TEST_F(Documents, SourcesWithoutTextsAreUsageErrors) {
  expect_error(ErrorCode::usage, "synthetic", [&] { read({"synthetic"}); });
}

// Ids: [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, a 5, b 6, ...
const WordTokenizer letters(Vocabulary::with_words({"a", "b", "c", "d", "e", "f"}));
constexpr int32_t cls = built_cls_id;
constexpr int32_t sep = built_sep_id;
using Ids = std::vector<int32_t>;

PackedRows pack(const Texts& documents, int64_t row_tokens = 8) {
  RowPacker packer(letters, row_tokens);
  for (const std::string& document : documents) packer.add(document);
  return packer.finish();
}

TEST(RowPacker, RowsBeginWithClsAndDocumentsEndWithSep) {
  const PackedRows rows = pack({"a b c", "d", "e f a b c d e f"});
  EXPECT_EQ(rows.size(), 2);
  EXPECT_EQ(rows.tokens, (Ids{cls, 5, 6, 7, sep, 8, sep, 9,  //
                              cls, 10, 5, 6, 7, 8, 9, 10}));
}

TEST(RowPacker, WhatDoesNotFillARowIsLeftOut) {
  EXPECT_EQ(pack({"a b c d e"}).size(), 0) << "[CLS] a b c d e [SEP] are seven";
  EXPECT_EQ(pack({"a b c d e f"}).size(), 1);
  EXPECT_EQ(pack({"a b c d e f", "a"}).tokens.size(), 8U);
}

TEST(RowPacker, ADocumentThatEndsWithItsRowLeavesNothingBehind) {
  const PackedRows rows = pack({"a b c d e f", "b b b b b b"});
  EXPECT_EQ(rows.tokens, (Ids{cls, 5, 6, 7, 8, 9, 10, sep,  //
                              cls, 6, 6, 6, 6, 6, 6, sep}));
}

TEST(RowPacker, NothingIsLostBetweenRows) {
  Texts documents;
  Ids expected;
  for (int i = 0; i < 50; ++i) {
    std::string text;
    for (int n = 0; n < i % 7; ++n) {
      const int letter = (i + n) % 6;
      text += std::string(1, static_cast<char>('a' + letter)) + " ";
      expected.push_back(special_count + letter);
    }
    documents.push_back(text);
    expected.push_back(sep);
  }
  const PackedRows rows = pack(documents, 9);
  Ids found;
  for (size_t i = 0; i < rows.tokens.size(); ++i) {
    if (i % 9 == 0) {
      EXPECT_EQ(rows.tokens[i], cls);
    } else {
      found.push_back(rows.tokens[i]);
    }
  }
  EXPECT_EQ(rows.size(), static_cast<int64_t>(expected.size() / 8));
  expected.resize(expected.size() / 8 * 8);
  EXPECT_EQ(found, expected);
}

TEST(RowPacker, IsEmptyAfterFinishing) {
  RowPacker packer(letters, 8);
  packer.add("a b c d e f a b c");
  EXPECT_EQ(packer.finish().size(), 1);
  packer.add("b c d e f a");
  EXPECT_EQ(packer.finish().tokens, (Ids{cls, 6, 7, 8, 9, 10, 5, sep}));
  EXPECT_EQ(packer.finish().size(), 0);
}

TEST(RowPacker, RowsOfFewerThanEightTokensAreRefused) {
  for (const int64_t bad : {7, 1, 0, -8}) {
    expect_error(ErrorCode::usage, "at least 8", [&] { RowPacker(letters, bad); });
  }
}

}  // namespace
}  // namespace headroom
