#include "base/table.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

TEST(Table, NumbersAlignRightAndTextLeft) {
  const Table table{{"arm", "accuracy"}, {{"dense", "89.90"}, {"ours", "9.1"}}};
  EXPECT_EQ(aligned_text(table),
            "arm    accuracy\n"
            "dense     89.90\n"
            "ours        9.1\n");
}

TEST(Table, WidthCountsCodePointsNotBytes) {
  const Table table{{"±", "b"}, {{"é", "x"}}};
  EXPECT_EQ(aligned_text(table), "±  b\né  x\n");
}

TEST(Table, MarkdownMarksNumericColumns) {
  const Table table{{"arm", "n"}, {{"dense", "3"}}};
  EXPECT_EQ(markdown(table), "| arm | n |\n| --- | ---: |\n| dense | 3 |\n");
}

}  // namespace
}  // namespace headroom
