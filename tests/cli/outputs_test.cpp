// What predict writes of an answer of each task.
#include <gtest/gtest.h>

#include "cli/outputs/npy.h"
#include "cli/outputs/output.h"
#include "engine/answers/answer_json.h"
#include "support.h"

namespace headroom {
namespace {

ModelConfig two_labels(Task task) {
  ModelConfig config;
  config.task = task;
  config.labels = {"money", "sport"};
  return config;
}

std::string json_of(const ModelConfig& config, const Answer& answer) {
  Json line;
  add_answer(config, answer, false, line);
  return line.dump();
}

TEST(Outputs, ClassificationIsALabelWithItsScoreOrAllScoresByLabel) {
  Answer answer;
  answer.label = 1;
  answer.scores = {0.25, 0.75};
  for (const Task task : {Task::classify, Task::pair, Task::synthetic}) {
    const ModelConfig config = two_labels(task);
    EXPECT_EQ(output_of(task)(config, answer, {}), "sport\t0.7500");
    EXPECT_EQ(json_of(config, answer), R"({"label":"sport","scores":{"money":0.25,"sport":0.75}})");
  }
}

TEST(Outputs, SeveralLabelsAreThoseAboveTheirThresholds) {
  const ModelConfig config = two_labels(Task::multilabel);
  Answer answer;
  answer.scores = {0.75, 0.5};
  EXPECT_EQ(output_of(config.task)(config, answer, {}), "");
  answer.labels = {0, 1};
  EXPECT_EQ(output_of(config.task)(config, answer, {}), "money\t0.7500\tsport\t0.5000");
  EXPECT_EQ(json_of(config, answer),
            R"({"labels":["money","sport"],"scores":{"money":0.75,"sport":0.5}})");
}

TEST(Outputs, AScoreIsASigmoidOrRaw) {
  Answer answer;
  answer.score = 0.75;
  answer.logit = 1.25;
  const ModelConfig config = two_labels(Task::rerank);
  EXPECT_EQ(output_of(config.task)(config, answer, {}), "0.7500");
  EXPECT_EQ(output_of(config.task)(config, answer, {.raw_scores = true}), "1.2500");
  EXPECT_EQ(json_of(config, answer), R"({"score":0.75})");
}

TEST(Outputs, EntitiesStayOnOneLine) {
  Answer answer;
  answer.entities = {{"New\nYork", "LOC", 0.5, 3, 11}};
  answer.token_tags = {{"new", 3, 6, 1, {0.25, 0.75}}};
  const ModelConfig config = two_labels(Task::tag);
  EXPECT_EQ(output_of(config.task)(config, answer, {}), "LOC\tNew York\t3-11\t0.5000");
  EXPECT_EQ(json_of(config, answer),
            R"({"entities":[{"text":"New\nYork","label":"LOC","score":0.5,"start":3,"end":11}],)"
            R"("tokens":[{"token":"new","start":3,"end":6,"label":"sport",)"
            R"("scores":{"money":0.25,"sport":0.75}}]})");
}

TEST(Outputs, AVectorIsWrittenInTheDigitsOfItsFloats) {
  Answer answer;
  answer.embedding = {0.1F, -2, 1e-8F};
  const ModelConfig config = two_labels(Task::embed);
  EXPECT_EQ(output_of(config.task)(config, answer, {}), "0.1 -2 1e-08");
  EXPECT_EQ(json_of(config, answer), R"({"embedding":[0.1,-2.0,1e-08],"dimensions":3})");
}

TEST(Npy, BeginsWithAHeaderThatNumPyReads) {
  const std::string header = npy_header(1400, 384);
  EXPECT_EQ(header.size() % 64, 0U);
  EXPECT_EQ(header.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ(static_cast<unsigned char>(header[8]), header.size() - 10);
  EXPECT_NE(header.find("{'descr': '<f4', 'fortran_order': False, 'shape': (1400, 384), }"),
            std::string::npos);
  EXPECT_EQ(header.back(), '\n');
}

TEST(Outputs, ATaskWithoutOneIsRefused) {
  testing::expect_error(ErrorCode::usage, "task translate", [] { output_of(Task::translate); });
}

}  // namespace
}  // namespace headroom
