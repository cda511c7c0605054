// Which rows training sets aside.
#include "train/rows/task_texts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "support.h"

namespace headroom {
namespace {

TEST(TaskTexts, ValidationSharesNoPremiseWithTraining) {
  const testing::TemporaryFolder folder;
  std::string rows;
  for (int premise = 0; premise < 20; ++premise) {
    for (const char* label : {"yes", "no", "maybe"}) {
      rows += fmt::format("{}\tpremise {}\thypothesis {}\n", label, premise, label);
    }
  }
  TaskRequest request;
  request.task = Task::pair;
  request.data = "tsv:" + folder.write("pairs.tsv", rows).string() + "?label=1&text=2&text_pair=3";
  request.validation_rows = 12;
  const TaskTexts texts = load_task_texts(request);
  EXPECT_EQ(texts.validation.rows.size(), 12U);
  EXPECT_EQ(texts.train.rows.size(), 48U);
  std::set<std::string> premises;
  for (const TextRow& row : texts.train.rows) premises.insert(row.text);
  for (const TextRow& row : texts.validation.rows) {
    EXPECT_FALSE(premises.contains(row.text)) << row.text;
  }
}

}  // namespace
}  // namespace headroom
