// Text in, answers out.
#include "engine/worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

#include "engine/random_model.h"
#include "engine/worker_pool.h"
#include "engine/workspace.h"

namespace headroom {
namespace {

using testing::expect_error;
using testing::RandomCheckpoint;

const RandomCheckpoint& checkpoint() {
  static const RandomCheckpoint random(testing::small_shape());
  return random;
}

std::vector<Answer> classify(const std::vector<Text>& inputs, double budget) {
  Worker worker(EngineModel::load(checkpoint().path()));
  return worker.classify(inputs, budget);
}

TEST(Worker, AnswersSayWhatWasDone) {
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

TEST(Worker, ScoresAreThePlainModelsSoftmax) {
  const std::vector<int32_t> ids = {2, 6, 5, 3};  // [CLS] b a [SEP]
  const std::vector<double> logits =
      checkpoint().plain().logits({ids, {}}, checkpoint().config().selection(1));
  const Answer answer = classify({{"b a"}}, 1.0).at(0);
  EXPECT_NEAR(std::log(answer.scores[0] / answer.scores[1]), logits[0] - logits[1], 1e-5);
  EXPECT_NEAR(std::log(answer.scores[1] / answer.scores[2]), logits[1] - logits[2], 1e-5);
}

TEST(Worker, PairsHaveTokenTypes) {
  const std::vector<int32_t> ids = {2, 5, 3, 6, 3};  // [CLS] a [SEP] b [SEP]
  const std::vector<int32_t> types = {0, 0, 0, 1, 1};
  const std::vector<double> logits =
      checkpoint().plain().logits({ids, types}, checkpoint().config().selection(1));
  const Answer answer = classify({{"a", "b"}}, 1.0).at(0);
  EXPECT_EQ(answer.tokens, 5);
  EXPECT_NEAR(std::log(answer.scores[0] / answer.scores[1]), logits[0] - logits[1], 1e-5);
}

TEST(Worker, LongTextsAreCut) {
  EXPECT_EQ(classify({{"a b c d e f g h i j k l m n o p q"}}, 1.0).at(0).tokens, 12);
}

TEST(Worker, NothingInNothingOut) {
  EXPECT_TRUE(classify({}, 1.0).empty());
}

TEST(Worker, TokenIdsAndTextsGetTheSameAnswer) {
  Worker worker(EngineModel::load(checkpoint().path()));
  const std::vector<Tokens> ids = {{{2, 5, 6, 3}, {}}};
  const std::vector<Text> text = {{"a b"}};
  EXPECT_EQ(worker.classify(std::span<const Tokens>(ids), 0.5).at(0).scores,
            worker.classify(std::span<const Text>(text), 0.5).at(0).scores);
}

TEST(Worker, BadInputIsRefused) {
  expect_error(ErrorCode::usage, "budget", [] { classify({{"a"}}, 0.0); });
  expect_error(ErrorCode::bad_data, "UTF-8", [] { classify({{"\xff"}}, 1.0); });
}

TEST(WorkerPool, SharesEveryInputOnceInPartsThatOneWorkerCanTake) {
  const auto model = EngineModel::load(checkpoint().path());
  for (const int threads : {1, 2, 5}) {
    WorkerPool pool(model, threads);
    for (const size_t count : {size_t{0}, size_t{1}, size_t{7}, size_t{1000}}) {
      std::vector<std::atomic<int>> times(count);
      std::atomic<size_t> longest = 0;
      pool.share(count, [&](Worker&, size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) ++times[i];
        if (end - begin > longest) longest = end - begin;
      });
      for (const std::atomic<int>& each : times) EXPECT_EQ(each, 1) << threads << " threads";
      EXPECT_LE(longest, static_cast<size_t>(tail_rows));
    }
  }
}

TEST(WorkerPool, AFailureReachesTheCallerAndTheNextCallWorks) {
  WorkerPool pool(EngineModel::load(checkpoint().path()), 2);
  const std::vector<Text> bad = {{"a"}, {"\xff"}, {"b"}};
  expect_error(ErrorCode::bad_data, "UTF-8", [&] { pool.classify(bad, 1.0); });
  EXPECT_EQ(pool.classify(std::span(bad).first(1), 1.0).size(), 1U);
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
