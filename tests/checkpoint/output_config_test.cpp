// config.json of vectors, tags, several labels and scores: what is written comes back, what cannot
// be meant is refused.
#include "checkpoint/output_config.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "checkpoint/config.h"
#include "families/schema.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;

ModelConfig output_model(Task task) {
  ModelConfig config;
  config.shape = {.layers = 2, .width = 8, .heads = 4, .ffn = 16, .vocabulary = 9, .positions = 6};
  config.task = task;
  config.shape.readout = readout_of(task);
  if (names_labels(task)) config.labels = {"O", "B-PER", "I-PER"};
  if (traits(task).output == OutputForm::score) config.labels = {"score"};
  config.shape.labels = static_cast<int64_t>(config.labels.size());
  return config;
}

ModelConfig written_and_read(const ModelConfig& config) {
  const std::string text = config_to_json(config).dump();
  return config_from_json(parse_json(text, ErrorCode::bad_model, "config.json"));
}

void expect_refused(const Json& json, std::string_view why) {
  expect_error(ErrorCode::bad_model, why, [&] { config_from_json(json); });
}

std::vector<std::string> last_names(const ModelConfig& config, size_t count) {
  std::vector<std::string> names;
  for (const TensorSpec& tensor : config.tensors()) names.push_back(tensor.name);
  return {names.end() - static_cast<std::ptrdiff_t>(count), names.end()};
}

TEST(OutputConfig, ComesBackWholeWithClassAndVersion) {
  for (const Task task : {Task::multilabel, Task::regress, Task::rerank, Task::tag, Task::embed}) {
    const ModelConfig config = output_model(task);
    const ModelConfig back = written_and_read(config);
    EXPECT_EQ(back.task, task);
    EXPECT_EQ(back.shape, config.shape) << task_name(task);
    EXPECT_EQ(back.labels, config.labels) << task_name(task);
    EXPECT_EQ(back.output, config.output) << task_name(task);
    EXPECT_EQ(config_to_json(config)["headroom"]["format"], 5);
  }
}

TEST(OutputConfig, LetterCaseIsForTaggersWithItsTokenTypes) {
  ModelConfig config = output_model(Task::tag);
  config.letter_case = true;
  config.shape.token_types = 5;
  EXPECT_TRUE(written_and_read(config).letter_case);
  EXPECT_EQ(config_to_json(config)["headroom"]["format"], 7);
  config.shape.token_types = 2;
  expect_refused(config_to_json(config), "is for taggers with 5 token types");
  expect_error(ErrorCode::usage, "--letter-case=false",
               [&] { require_plain_types(config, "export"); });
}

TEST(Truncation, ComesBackAndNeedsVersion8) {
  ModelConfig config = output_model(Task::classify);
  EXPECT_FALSE(config_to_json(config)["headroom"].contains("truncation"));
  EXPECT_EQ(config_to_json(config)["headroom"]["format"], 1);
  EXPECT_EQ(written_and_read(config).truncation, std::nullopt);
  for (const KeptPart part : {KeptPart::head, KeptPart::tail, KeptPart::head_tail}) {
    config.truncation = part;
    EXPECT_EQ(written_and_read(config).truncation, part);
    EXPECT_EQ(config_to_json(config)["headroom"]["format"], 8);
  }
}

TEST(Truncation, IsForModelsOfOneTextAndOneAnswer) {
  for (const Task task : {Task::pair, Task::rerank, Task::tag, Task::embed}) {
    ModelConfig config = output_model(task);
    config.truncation = KeptPart::head_tail;
    expect_refused(config_to_json(config), "truncation is for models of one text and one answer");
  }
  Json json = config_to_json(output_model(Task::classify));
  json["headroom"]["truncation"] = "middle";
  expect_refused(json, "is \"middle\", this version knows: head, tail, head_tail");
}

TEST(Truncation, OfOtherProgramsIsNotedWhereItDiffers) {
  ModelConfig config = output_model(Task::classify);
  EXPECT_EQ(truncation_note(config), std::nullopt);
  config.truncation = KeptPart::tail;
  EXPECT_NE(truncation_note(config)->find("truncation_side to left"), std::string::npos);
  config.truncation = KeptPart::head_tail;
  EXPECT_NE(truncation_note(config)->find("a quarter from the beginning"), std::string::npos);
}

TEST(OutputConfig, NamesTheClassOfTransformers) {
  EXPECT_EQ(output_model(Task::tag).architecture(), "BertForTokenClassification");
  EXPECT_EQ(output_model(Task::embed).architecture(), "BertModel");
  EXPECT_EQ(output_model(Task::rerank).architecture(), "BertForSequenceClassification");
  EXPECT_EQ(config_to_json(output_model(Task::multilabel))["problem_type"],
            "multi_label_classification");
  EXPECT_EQ(config_to_json(output_model(Task::regress))["problem_type"], "regression");
}

TEST(OutputConfig, ATaggerHasAClassifierAndNoPooler) {
  const std::vector<std::string> names = last_names(output_model(Task::tag), 3);
  EXPECT_EQ(names, (std::vector<std::string>{"bert.encoder.layer.1.output.LayerNorm.bias",
                                             "classifier.weight", "classifier.bias"}));
}

TEST(OutputConfig, ADenseLayerIsStoredBehindTheEncoder) {
  ModelConfig config = output_model(Task::embed);
  EXPECT_EQ(last_names(config, 1)[0], "bert.encoder.layer.1.output.LayerNorm.bias");
  config.shape.dense = 3;
  config.output.vector.activation = DenseActivation::tanh;
  EXPECT_EQ(last_names(config, 2), (std::vector<std::string>{"dense.weight", "dense.bias"}));
  EXPECT_EQ(config.tensors().back().shape, std::vector<int64_t>{3});
  const ModelConfig back = written_and_read(config);
  EXPECT_EQ(back.shape.vector_width(), 3);
  EXPECT_EQ(back.output, config.output);
}

TEST(OutputConfig, PromptsThresholdsAndCalibrationComeBack) {
  ModelConfig vectors = output_model(Task::embed);
  vectors.max_tokens = 4;
  vectors.output.vector.pooling = Pooling::max;
  vectors.output.vector.normalize = false;
  vectors.output.vector.prompts = {{"query", "query: "}, {"passage", "passage: "}};
  vectors.output.vector.default_prompt = "passage";
  EXPECT_EQ(written_and_read(vectors).output, vectors.output);
  EXPECT_EQ(written_and_read(vectors).longest_input(), 4);

  ModelConfig labels = output_model(Task::multilabel);
  labels.output.thresholds = {0.5, 0.25, 1};
  labels.output.calibration = {{0.25, 1.5, -0.125}, {1, 1, 0}};
  EXPECT_EQ(written_and_read(labels).output, labels.output);
  EXPECT_EQ(written_and_read(labels).output.threshold(1), 0.25);
}

TEST(OutputConfig, CalibrationOfAClassifierNeedsTheNewVersion) {
  ModelConfig config = output_model(Task::classify);
  EXPECT_EQ(config_to_json(config)["headroom"]["format"], 1);
  config.output.calibration = {{1, 2, 0}};
  EXPECT_EQ(config_to_json(config)["headroom"]["format"], 5);
  EXPECT_EQ(written_and_read(config).output, config.output);
}

ModelConfig lexical_ranker() {
  ModelConfig config = output_model(Task::rerank);
  config.output.calibration = {{0.5, 2, 1, 0.25}, {1, 1, 0, 0.5}};
  config.output.lexical = TokenBm25{3, 4.5, {0, 0, 0, 0, 17, 255, 128, 1, 99}};
  return config;
}

TEST(OutputConfig, ARankersBm25ComesBackAndNeedsTheNewVersion) {
  const ModelConfig config = lexical_ranker();
  EXPECT_EQ(config_to_json(config)["headroom"]["format"], 6);
  EXPECT_EQ(written_and_read(config).output, config.output);
  EXPECT_EQ(calibration_at(config.output.calibration, 0.75).lexical, 0.375);
}

TEST(OutputConfig, HalfABm25IsRefused) {
  const Json whole = config_to_json(lexical_ranker());
  Json json = whole;
  json["headroom"].erase("lexical");
  expect_refused(json, "calibration weighs BM25, of which headroom.lexical is missing");
  json = whole;
  json["headroom"]["lexical"]["rarity"] = "AAAA";
  expect_refused(json, "rarity has 3 tokens, the model 9");
  json["headroom"]["lexical"]["rarity"] = "?";
  expect_refused(json, "rarity is not base64");
  json = whole;
  json["headroom"]["lexical"]["separator"] = 9;
  expect_refused(json, "separator is 9");
}

TEST(OutputConfig, WhatCannotBeMeantIsRefused) {
  Json json = config_to_json(output_model(Task::embed));
  json["headroom"]["pooling"] = "median";
  expect_refused(json, "pooling is \"median\", this version knows: mean, cls, max");
  json["headroom"]["pooling"] = "cls";
  json["headroom"]["default_prompt"] = "query";
  expect_refused(json, "default_prompt is \"query\", which is no name in prompts");
  json["headroom"]["prompts"] = {{"query", 1}};
  expect_refused(json, "needs a string under query");
  json["headroom"]["dense"] = {{"width", 0}, {"activation", "tanh"}};
  expect_refused(json, "width is 0");
  json["headroom"]["dense"] = {{"width", 4}, {"activation", "relu"}};
  expect_refused(json, "activation is \"relu\"");

  json = config_to_json(output_model(Task::multilabel));
  json["headroom"]["thresholds"] = {0.5, 0.5};
  expect_refused(json, "thresholds has 2 values for 3 labels");
  json["headroom"]["thresholds"] = {0.5, 0.5, 1.5};
  expect_refused(json, "thresholds holds 1.5");
  json["headroom"].erase("thresholds");
  json["headroom"]["calibration"] = {{{"budget", 1}, {"temperature", 0}, {"offset", 0}}};
  expect_refused(json, "temperature is 0");
  json["headroom"]["calibration"] = {{{"budget", 1}, {"temperature", 1}, {"offset", 0}},
                                     {{"budget", 0.5}, {"temperature", 1}, {"offset", 0}}};
  expect_refused(json, "budget does not ascend");
  json["headroom"].erase("calibration");
  json["headroom"]["max_tokens"] = 7;
  expect_refused(json, "max_tokens is 7, expected a whole number from 2 to 6");

  json = config_to_json(output_model(Task::rerank));
  json["id2label"] = {{"0", "a"}, {"1", "b"}};
  expect_refused(json, "has 2 labels, a model of one score has one");
}

TEST(ScoreCalibration, HoldsBetweenAndOutsideTheFittedBudgets) {
  const std::vector<ScoreCalibration> fitted = {{0.25, 2, 1}, {0.75, 1, 0}};
  EXPECT_EQ(calibration_at(fitted, 0.1).temperature, 2);
  EXPECT_EQ(calibration_at(fitted, 0.25).offset, 1);
  EXPECT_EQ(calibration_at(fitted, 0.5).temperature, 1.5);
  EXPECT_EQ(calibration_at(fitted, 0.5).offset, 0.5);
  EXPECT_EQ(calibration_at(fitted, 1).temperature, 1);
  EXPECT_EQ(calibration_at({}, 0.5).apply(3), 3) << "none is fitted: nothing changes";
  EXPECT_EQ(calibration_at(fitted, 0.25).apply(3), 2.5);
}

}  // namespace
}  // namespace headroom
