#include "data/formats/json_lines.h"

#include <gtest/gtest.h>

#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;
using testing::TemporaryFolder;

std::vector<JsonRow> parse(std::string_view content, const JsonLineKeys& keys = {}) {
  const TemporaryFolder folder;
  InputStream input(folder.write("rows.jsonl", content));
  JsonLinesReader reader(input, keys);
  std::vector<JsonRow> rows;
  JsonRow row;
  while (reader.next(row)) rows.push_back(row);
  return rows;
}

void expect_refused(std::string_view content, std::string_view fragment) {
  expect_error(ErrorCode::bad_data, fragment, [&] { parse(content); });
}

TEST(JsonLines, FieldsAreReadFromEachLine) {
  const auto rows = parse(
      "{\"text\":\"a\",\"label\":\"x\",\"id\":7}\n\n"
      "{\"text\":\"b\",\"text_pair\":\"c\",\"label\":3}\n{\"text\":\"d\",\"label\":0.5}");
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0].text, "a");
  EXPECT_EQ(rows[0].label, "x");
  EXPECT_EQ(rows[0].text_pair, std::nullopt);
  EXPECT_EQ(rows[0].id, Json(7));
  EXPECT_EQ(rows[1].text_pair, "c");
  EXPECT_EQ(rows[1].label, "3");
  EXPECT_TRUE(rows[1].id.is_null()) << "nothing stays from the row before";
  EXPECT_EQ(rows[2].label, "0.5");
}

TEST(JsonLines, LabelAndPairAreOptional) {
  const auto rows = parse("{\"text\":\"a\",\"text_pair\":null,\"label\":null}\n");
  EXPECT_EQ(rows.at(0).label, std::nullopt);
  EXPECT_EQ(rows.at(0).text_pair, std::nullopt);
}

TEST(JsonLines, KeysMayHaveOtherNames) {
  const auto rows = parse("{\"q\":\"a\",\"p\":\"b\",\"gold\":\"y\"}", {"q", "p", "gold"});
  EXPECT_EQ(rows.at(0).text, "a");
  EXPECT_EQ(rows.at(0).text_pair, "b");
  EXPECT_EQ(rows.at(0).label, "y");
}

TEST(JsonLines, BadLinesAreRefusedWithFileAndNumber) {
  expect_refused("{\"text\":\"a\"}\n{\"text\":", "rows.jsonl line 2: not valid JSON");
  expect_refused("[1]\n", "rows.jsonl line 1: a JSON object was expected");
  expect_refused("{\"label\":\"x\"}\n", "rows.jsonl line 1: text is missing");
  expect_refused("{\"text\":5}\n", "rows.jsonl line 1: text");
  expect_refused("{\"text\":\"a\",\"label\":[[1]]}\n",
                 "rows.jsonl line 1: label must be a string or a number");
  expect_refused("{\"text\":\"\xE9\"}\n", "rows.jsonl line 1: not valid JSON");
}

}  // namespace
}  // namespace headroom
