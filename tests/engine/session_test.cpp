// Text in, answers out.
#include "engine/session.h"

#include <gtest/gtest.h>

#include <numeric>

#include "base/files/file.h"
#include "checkpoint/least_budget.h"
#include "engine/random_model.h"

namespace headroom {
namespace {

using testing::expect_error;
using testing::RandomCheckpoint;

const RandomCheckpoint& checkpoint() {
  static const RandomCheckpoint random(testing::small_shape());
  return random;
}

std::vector<Answer> classify(const std::vector<Text>& texts, double budget) {
  Session session(EngineModel::load(checkpoint().path()));
  return session.run(texts, Budget{budget});
}

TEST(Session, AnswersSayWhatWasDone) {
  const Answer answer = classify({{"a b c"}}, 0.5).at(0);
  EXPECT_EQ(answer.tokens, 5) << "three words between [CLS] and [SEP]";
  EXPECT_EQ(answer.budget, 0.5);
  EXPECT_EQ(answer.active_heads, checkpoint().config().selection(0.5).active_fraction());
  EXPECT_GT(answer.milliseconds, 0);
  ASSERT_EQ(answer.scores.size(), 3U);
  EXPECT_NEAR(std::accumulate(answer.scores.begin(), answer.scores.end(), 0.0), 1.0, 1e-12);
  for (const double score : answer.scores) {
    EXPECT_LE(score, answer.scores.at(answer.label));
  }
}

TEST(Session, ScoresAreThePlainModelsSoftmax) {
  const std::vector<int32_t> ids = {2, 6, 5, 3};  // [CLS] b a [SEP]
  const std::vector<double> logits =
      checkpoint().plain().logits({ids, {}}, checkpoint().config().selection(1));
  const Answer answer = classify({{"b a"}}, 1.0).at(0);
  EXPECT_NEAR(std::log(answer.scores[0] / answer.scores[1]), logits[0] - logits[1], 1e-5);
  EXPECT_NEAR(std::log(answer.scores[1] / answer.scores[2]), logits[1] - logits[2], 1e-5);
}

TEST(Session, PairsHaveTokenTypes) {
  const std::vector<int32_t> ids = {2, 5, 3, 6, 3};  // [CLS] a [SEP] b [SEP]
  const std::vector<int32_t> types = {0, 0, 0, 1, 1};
  const std::vector<double> logits =
      checkpoint().plain().logits({ids, types}, checkpoint().config().selection(1));
  const Answer answer = classify({{"a", "b"}}, 1.0).at(0);
  EXPECT_EQ(answer.tokens, 5);
  EXPECT_NEAR(std::log(answer.scores[0] / answer.scores[1]), logits[0] - logits[1], 1e-5);
}

TEST(Session, LongTextsAreTruncated) {
  EXPECT_EQ(classify({{"a b c d e f g h i j k l m n o p q"}}, 1.0).at(0).tokens, 12);
}

TEST(Session, ReadsOfLongTextsWhatConfigJsonSays) {
  const RandomCheckpoint whole(testing::small_shape());
  const std::filesystem::path file = whole.path() / "config.json";
  Json json = parse_json(read_file(file, ErrorCode::bad_model), ErrorCode::bad_model, "");
  json["headroom"]["truncation"] = "head_tail";
  json["headroom"]["format"] = 8;
  write_file_atomically(file, json.dump());
  Session session(EngineModel::load(whole.path()));
  const std::vector<Text> text = {{"a b c d e f g h i j k l m n o p q"}};
  const std::vector<Text> kept = {{"a b j k l m n o p q"}};  // 10 words fit
  const Answer answer = session.run(text, Budget{}).at(0);
  EXPECT_TRUE(answer.truncated);
  EXPECT_EQ(answer.scores, session.run(kept, Budget{}).at(0).scores);
}

TEST(Session, ABudgetBelowTheLeastIsToldAsTheLeast) {
  const double least = least_budget(checkpoint().config());
  ASSERT_GT(least, 0.001);
  EXPECT_EQ(classify({{"a"}}, 0.001).at(0).budget, least);
  EXPECT_EQ(classify({{"a"}}, 0.001).at(0).scores, classify({{"a"}}, least).at(0).scores);
}

TEST(Session, NothingInNothingOut) {
  EXPECT_TRUE(classify({}, 1.0).empty());
}

TEST(Session, TokenIdsAndTextsGetTheSameAnswer) {
  Session session(EngineModel::load(checkpoint().path()));
  const std::vector<Tokens> ids = {{{2, 5, 6, 3}, {}}};
  const std::vector<Text> text = {{"a b"}};
  EXPECT_EQ(session.run(ids, Budget{0.5}).at(0).scores,
            session.run(text, Budget{0.5}).at(0).scores);
}

TEST(Session, BadInputIsRefused) {
  expect_error(ErrorCode::usage, "budget", [] { classify({{"a"}}, 0.0); });
  expect_error(ErrorCode::bad_data, "UTF-8", [] { classify({{"\xff"}}, 1.0); });
}

TEST(Session, AFailureReachesTheCallerAndTheNextCallWorks) {
  Session session(EngineModel::load(checkpoint().path()), 2);
  const std::vector<Text> bad = {{"a"}, {"\xff"}, {"b"}};
  expect_error(ErrorCode::bad_data, "UTF-8", [&] { session.run(bad, Budget{}); });
  EXPECT_EQ(session.run(std::span(bad).first(1), Budget{}).size(), 1U);
}

TEST(Session, TakesOneBudgetForAllOrOneForEach) {
  Session session(EngineModel::load(checkpoint().path()), 3);
  const std::vector<Text> texts = {{"a"}, {"b c"}, {"d"}};
  const std::vector<Budget> budgets = {{0.3}, {1.0}, {0.5}};
  const std::vector<Answer> each = session.run(texts, budgets);
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::vector<Answer> all = session.run(texts, budgets[i]);
    EXPECT_EQ(each[i].budget, budgets[i].fraction);
    EXPECT_EQ(each[i].scores, all[i].scores);
  }
  expect_error(ErrorCode::usage, "2 budgets for 3 texts",
               [&] { session.run(texts, std::span(budgets).first(2)); });
}

TEST(Session, ALatencyBecomesTheLargestBudgetThatMeetsIt) {
  const LatencyTable table{"a CPU", "fp32", 1, "", {{0.5, 4, 1.0, 2.0}, {1.0, 4, 3.0, 6.0}}};
  const Session session(EngineModel::load(checkpoint().path()), 1, table);
  EXPECT_EQ(session.fraction({.fraction = 0.75}, 4), 0.75);
  EXPECT_EQ(session.fraction({.latency_ms = 5}, 4), 0.5);
  EXPECT_EQ(session.fraction({.latency_ms = 6}, 4), 1.0);
  expect_error(ErrorCode::target_unreachable, "1", [&] { session.fraction({.latency_ms = 1}, 4); });
  const Session uncalibrated(EngineModel::load(checkpoint().path()));
  expect_error(ErrorCode::usage, "headroom calibrate",
               [&] { uncalibrated.fraction({.latency_ms = 5}, 4); });
}

// Every weight is finite; their sum is not.
TEST(Session, ScoresThatAreNotFiniteAreABadModelAndNoAnswer) {
  const RandomCheckpoint damaged(checkpoint().config().shape, 1, [](testing::Tensors& tensors) {
    for (float& weight : tensors.at("classifier.weight")) weight = 3e38F;
  });
  Session session(EngineModel::load(damaged.path()));
  const std::vector<Text> texts = {{"a b"}};
  expect_error(ErrorCode::bad_model, "the model's scores are not finite: damaged weights?",
               [&] { session.run(texts, Budget{}); });
}

TEST(EngineModel, AMissingOrDamagedCheckpointIsRefused) {
  expect_error(ErrorCode::bad_model, "is not a directory",
               [] { EngineModel::load("/nonexistent"); });
  const RandomCheckpoint broken(checkpoint().config().shape);
  std::filesystem::remove(broken.path() / "model.safetensors");
  expect_error(ErrorCode::bad_model, "model.safetensors",
               [&] { EngineModel::load(broken.path()); });
}

TEST(EngineModel, WeightsLargerThanTheAllowedMemoryAreRefusedBeforeTheyAreRead) {
  EngineOptions options;
  options.max_memory = 10'000;
  expect_error(ErrorCode::runtime, "the weights take more than 9.8 KiB (--max-memory)",
               [&] { EngineModel::load(checkpoint().path(), options); });
}

}  // namespace
}  // namespace headroom
