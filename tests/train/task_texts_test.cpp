// Which rows training sets aside.
#include "train/rows/task_texts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "support.h"

namespace headroom {
namespace {

// 120 pairs, three labels to each of so many premises in turn.
TaskTexts pairs_of(int premises) {
  const testing::TemporaryFolder folder;
  std::string rows;
  for (int i = 0; i < 120; ++i) {
    const char* label = i % 3 == 0 ? "yes" : i % 3 == 1 ? "no" : "maybe";
    rows += fmt::format("{}\tpremise {}\thypothesis {}\n", label, i / 3 % premises, i);
  }
  TaskRequest request;
  request.task = Task::pair;
  request.data = "tsv:" + folder.write("pairs.tsv", rows).string() + "?label=1&text=2&text_pair=3";
  request.validation_rows = 30;
  return load_task_texts(request);
}

TEST(TaskTexts, ValidationSharesNoPremiseWithTraining) {
  const TaskTexts texts = pairs_of(40);
  EXPECT_EQ(texts.validation.rows.size(), 30U);
  EXPECT_EQ(texts.train.rows.size(), 90U);
  std::set<std::string> premises;
  for (const TextRow& row : texts.train.rows) premises.insert(row.text);
  for (const TextRow& row : texts.validation.rows) {
    EXPECT_FALSE(premises.contains(row.text)) << row.text;
  }
}

TEST(TaskTexts, AHandfulOfFirstTextsIsSplitByRows) {
  const TaskTexts texts = pairs_of(2);
  EXPECT_EQ(texts.validation.rows.size(), 30U);
  EXPECT_EQ(texts.validation.label_counts(), (std::vector<int64_t>{10, 10, 10}));
}

}  // namespace
}  // namespace headroom
