#include "data/formats/delimited.h"

#include <gtest/gtest.h>

#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;
using testing::TemporaryFolder;
using Record = std::vector<std::string>;

std::vector<Record> parse(std::string_view content, DelimitedFormat format = DelimitedFormat::csv,
                          size_t limit = DelimitedReader::max_record_bytes) {
  const TemporaryFolder folder;
  InputStream input(folder.write("table", content));
  DelimitedReader reader(input, format, limit);
  std::vector<Record> records;
  Record record;
  while (reader.next(record)) records.push_back(record);
  return records;
}

void expect_refused(std::string_view content, std::string_view fragment) {
  expect_error(ErrorCode::bad_data, fragment, [&] { parse(content); });
}

TEST(Csv, FieldsAreSeparatedByCommas) {
  EXPECT_EQ(parse("1,oil\n2,\n"), (std::vector<Record>{{"1", "oil"}, {"2", ""}}));
  EXPECT_EQ(parse("1,oil"), (std::vector<Record>{{"1", "oil"}})) << "no newline at the end";
  EXPECT_TRUE(parse("").empty());
}

TEST(Csv, QuotedFieldsHoldCommasQuotesAndNewlines) {
  EXPECT_EQ(parse("\"1\",\"a, b\"\n"), (std::vector<Record>{{"1", "a, b"}}));
  EXPECT_EQ(parse("1,\"say \"\"hi\"\"\"\n"), (std::vector<Record>{{"1", "say \"hi\""}}));
  EXPECT_EQ(parse("1,\"two\r\nlines\"\n"), (std::vector<Record>{{"1", "two\r\nlines"}}));
  EXPECT_EQ(parse("1,\"\""), (std::vector<Record>{{"1", ""}}));
}

TEST(Csv, BackslashesAreOrdinaryCharacters) {
  EXPECT_EQ(parse("\"4\",\"grid.\\\"\n\"3\",\"\\$50 \\\\\"\"x\"\n"),
            (std::vector<Record>{{"4", "grid.\\"}, {"3", "\\$50 \\\\\"x"}}));
}

TEST(Csv, CrLfAndByteOrderMarkAreNotData) {
  EXPECT_EQ(parse("\xEF\xBB\xBF\"1\",a\r\n2,\"b\"\r\n3,c\r"),
            (std::vector<Record>{{"1", "a"}, {"2", "b"}, {"3", "c"}}));
}

TEST(Csv, EmptyLinesAreSkipped) {
  EXPECT_EQ(parse("\n1,a\r\n\r\n2,b\n\n"), (std::vector<Record>{{"1", "a"}, {"2", "b"}}));
}

TEST(Csv, RecordsKnowTheLineTheyStartAt) {
  const TemporaryFolder folder;
  InputStream input(folder.write("table", "1,\"a\nb\"\n\n2,c\n"));
  DelimitedReader reader(input, DelimitedFormat::csv);
  Record record;
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(reader.line(), 1);
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(reader.line(), 4);
}

TEST(Csv, MalformedQuotingIsRefusedWithTheLine) {
  expect_refused("1,a\n2,\"open\n3,c\n", "line 2: a quoted field is not closed");
  expect_refused("1,a\n2,b\"c\n", "line 2: a quote inside an unquoted field");
  expect_refused("1,\"a\"b\n", "line 1: text follows a closing quote");
  expect_refused("1,\"a\"\r\"b\"\n", "line 1: text follows a closing quote");
}

TEST(Csv, WrongNumberOfColumnsSaysExpectedAndFound) {
  expect_refused("1,a,b\n2,c,d\n3,e\n",
                 "line 3: expected 3 columns as in the first record, found 2");
}

TEST(Csv, NulBytesAreRefused) {
  expect_refused(std::string_view("1,a\n2,\0b\n", 9), "line 2: a NUL byte");
}

TEST(Csv, RecordsAboveTheLimitAreRefused) {
  expect_error(ErrorCode::bad_data, "line 2: the record is longer than 10 bytes",
               [] { parse("1,a\n2,bbbbbbbbbbb\n", DelimitedFormat::csv, 10); });
}

TEST(Tsv, QuotesAreOrdinaryCharacters) {
  EXPECT_EQ(parse("1\t\"a, b\r\n2\tsay \"hi\"\n", DelimitedFormat::tsv),
            (std::vector<Record>{{"1", "\"a, b"}, {"2", "say \"hi\""}}));
}

}  // namespace
}  // namespace headroom
