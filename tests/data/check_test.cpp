#include "data/catalog/check.h"

#include <gtest/gtest.h>

#include "support.h"

namespace headroom {
namespace {
using testing::TemporaryFolder;

TEST(Check, SummarizesRowsClassesAndWords) {
  const TemporaryFolder folder;
  const auto file = folder.write("f", "a,one two\nb,one\na,one two three!\nb,one\na,\"\"\n");
  const DataSummary summary = check_data(parse_data_spec("csv:" + file.string()), "");
  EXPECT_EQ(summary.rows, 5);
  ASSERT_EQ(summary.classes.size(), 2U);
  EXPECT_EQ(summary.classes[0].label, "a");
  EXPECT_EQ(summary.classes[0].rows, 3);
  EXPECT_EQ(summary.text_bytes, 7 + 3 + 14 + 3 + 0);
  EXPECT_EQ(summary.min_words, 0);
  EXPECT_EQ(summary.max_words, 4);
  EXPECT_DOUBLE_EQ(summary.mean_words, 8.0 / 5);
  EXPECT_EQ(summary.duplicates, 1);
  EXPECT_EQ(summary.empty, 1);
  EXPECT_EQ(summary.expected_rows, std::nullopt);
  EXPECT_TRUE(summary.as_expected());
}

TEST(Check, PairsAreDuplicatesOnlyWhenBothTextsAre) {
  const TemporaryFolder folder;
  const auto file = folder.write("f", "x,a,bc\ny,ab,c\nx,a,bc\n");
  const auto spec = parse_data_spec("csv:" + file.string() + "?text=2&text_pair=3");
  EXPECT_EQ(check_data(spec, "").duplicates, 1);
}

TEST(Check, AKnownSetIsComparedWithWhatItShouldBe) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path() / "ag_news");
  folder.write("ag_news/classes.txt", "World\nSports\nBusiness\nSci/Tech\n");
  folder.write("ag_news/test.csv", "1,a\n2,b\n");
  const DataSummary summary = check_data(parse_data_spec("agnews:test"), folder.path());
  EXPECT_EQ(summary.expected_rows, 7600);
  EXPECT_EQ(summary.classes[3].expected, 1900);
  EXPECT_EQ(summary.classes[3].rows, 0);
  EXPECT_FALSE(summary.as_expected());
}

}  // namespace
}  // namespace headroom
