// What predict writes of an answer of each task.
#include <gtest/gtest.h>

#include "cli/outputs/output.h"
#include "support.h"

namespace headroom {
namespace {

ModelConfig two_labels(Task task) {
  ModelConfig config;
  config.task = task;
  config.labels = {"money", "sport"};
  return config;
}

TEST(Outputs, ClassificationIsALabelWithItsScoreOrAllScoresByLabel) {
  Answer answer;
  answer.label = 1;
  answer.scores = {0.25, 0.75};
  for (const Task task : {Task::classify, Task::pair, Task::synthetic}) {
    const ModelConfig config = two_labels(task);
    EXPECT_EQ(output_of(task).text(config, answer), "sport\t0.7500");
    Json line;
    output_of(task).json(config, answer, line);
    EXPECT_EQ(line.dump(), R"({"label":"sport","scores":{"money":0.25,"sport":0.75}})");
  }
}

TEST(Outputs, ATaskWithoutOneIsRefused) {
  testing::expect_error(ErrorCode::usage, "task translate", [] { output_of(Task::translate); });
}

}  // namespace
}  // namespace headroom
