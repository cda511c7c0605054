#include "experiments/fasttext_arm.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "support.h"

namespace headroom::experiments {
namespace {
using testing::TemporaryFolder;

// Rows of "label,first,second" where one of the two texts gives the label away.
std::string rows(bool first_tells) {
  std::string csv;
  for (int i = 0; i < 30; ++i) {
    const std::string number = std::to_string(i % 7);
    const std::string telling = (i % 2 == 0 ? "lovely film " : "awful play ") + number;
    const std::string silent = "row " + number;
    csv += (i % 2 == 0 ? "good," : "bad,") +
           (first_tells ? telling + "," + silent : silent + "," + telling) + "\n";
  }
  return csv;
}

std::optional<ArmRecord> score(const std::string& csv, const std::string& columns) {
  const TemporaryFolder folder;
  TaskRequest request;
  request.data = "csv:" + folder.write("train.csv", csv).string() + columns;
  request.eval_data = request.data;
  return fasttext_arm(request);
}

TEST(FastTextArm, SolvesRowsThatAWordGivesAway) {
  const std::optional<ArmRecord> arm = score(rows(true), "?label=1&text=2");
  if (!arm) GTEST_SKIP() << "no fasttext program on the PATH";
  EXPECT_EQ(arm->points[0].accuracy, 1.0);
  EXPECT_EQ(arm->validation[0].accuracy, 1.0);
  EXPECT_GT(arm->points[0].bytes.value(), 0);
}

TEST(FastTextArm, ReadsBothTextsOfAPair) {
  const std::optional<ArmRecord> arm = score(rows(false), "?label=1&text=2&text_pair=3");
  if (!arm) GTEST_SKIP() << "no fasttext program on the PATH";
  EXPECT_EQ(arm->points[0].accuracy, 1.0);
}

TEST(FastTextArm, IsNothingWithoutTheProgram) {
  const std::string path = getenv("PATH");
  setenv("PATH", "/nowhere", 1);
  const std::optional<ArmRecord> arm = score(rows(true), "?label=1&text=2");
  setenv("PATH", path.c_str(), 1);
  EXPECT_FALSE(arm.has_value());
}

}  // namespace
}  // namespace headroom::experiments
