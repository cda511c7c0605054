// The public header alone, as an application sees it; checkpoints come from the test's helper.
#include <gtest/gtest.h>

#include <thread>

#include "base/measure/machine.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/latency_file.h"
#include "checkpoint/precision_file.h"
#include "engine/random_model.h"
#include "headroom/headroom.h"

namespace headroom {
namespace {

using testing::RandomCheckpoint;

const RandomCheckpoint& checkpoint() {
  static const RandomCheckpoint random(testing::small_shape(40));
  return random;
}

std::vector<std::string> some_texts(size_t count) {
  std::vector<std::string> texts(count);
  for (size_t i = 0; i < count; ++i) {
    for (size_t j = 0; j <= i % 30; ++j) {
      texts[i] += static_cast<char>('a' + (i * 7 + j * 5) % 26);
      texts[i] += ' ';
    }
  }
  return texts;
}

std::vector<std::vector<double>> scores(const Model& model, const std::vector<std::string>& texts,
                                        Budget budget) {
  std::vector<Text> views;
  views.reserve(texts.size());
  for (const std::string& text : texts) views.push_back({text});
  std::vector<std::vector<double>> all;
  for (const Answer& answer : model.classify(views, budget)) all.push_back(answer.scores);
  return all;
}

TEST(PublicModel, ClassifiesATextAtABudget) {
  const Model model = Model::load(checkpoint().path());
  const Answer answer = model.classify("a b c", {.fraction = 0.5});
  EXPECT_EQ(answer.budget, 0.5);
  EXPECT_EQ(answer.tokens, 5);
  EXPECT_LT(answer.active_heads, 1.0);
  EXPECT_EQ(answer.scores.size(), model.labels().size());
  EXPECT_EQ(model.labels()[0], "label 0");
  EXPECT_EQ(model.longest_input(), 40);
  EXPECT_FALSE(model.instruction_set().empty());
}

TEST(PublicModel, RunsThePrecisionThatCalibrateChoseUnlessOneIsNamed) {
  const RandomCheckpoint chosen(testing::small_shape(40));
  const std::vector<std::string> texts = some_texts(8);
  const auto at = [&](std::optional<Precision> precision) {
    return scores(Model::load(chosen.path(), {.precision = precision}), texts, {});
  };
  EXPECT_EQ(at(std::nullopt), at(Precision::fp32));
  store_precision_choice(chosen.path(), read_config(chosen.path()),
                         {cpu_name(), "2026-01-02", Precision::bf16});
  EXPECT_EQ(at(std::nullopt), at(Precision::bf16));
  EXPECT_NE(at(Precision::fp32), at(Precision::bf16));
}

TEST(PublicModel, SaysWhichTextsWereCut) {
  const Model model = Model::load(checkpoint().path());
  EXPECT_FALSE(model.classify("a b c").truncated);
  std::string long_text;
  for (int i = 0; i < 50; ++i) long_text += "a ";
  EXPECT_TRUE(model.classify(long_text).truncated);
}

TEST(PublicModel, ASmallerBudgetIsLessWork) {
  const Model model = Model::load(checkpoint().path());
  EXPECT_LT(model.work({0.5}, 20).model, model.work({1.0}, 20).model);
  EXPECT_LT(model.work({1.0}, 20).attention, model.work({1.0}, 20).model);
}

TEST(PublicModel, TextsPairsAndTokensAgree) {
  const Model model = Model::load(checkpoint().path());
  const std::vector<Text> pair = {{"a", "b"}};
  const std::vector<Tokens> tokens = {{{2, 5, 3, 6, 3}, {0, 0, 0, 1, 1}}};
  EXPECT_EQ(model.classify(pair).at(0).scores,
            model.classify(std::span<const Tokens>(tokens)).at(0).scores);
}

TEST(PublicModel, EachTextMayHaveItsOwnBudget) {
  const Model model = Model::load(checkpoint().path(), {.threads = 2});
  const std::vector<std::string> texts = some_texts(40);
  std::vector<Text> views;
  std::vector<Budget> budgets;
  for (size_t i = 0; i < texts.size(); ++i) {
    views.push_back({texts[i]});
    budgets.push_back({i % 3 == 0 ? 1.0 : 0.3});
  }
  const std::vector<Answer> answers = model.classify(views, budgets);
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(answers[i].budget, budgets[i].fraction);
    EXPECT_EQ(answers[i].scores, model.classify(texts[i], budgets[i]).scores) << i;
  }
  budgets.pop_back();
  EXPECT_THROW(model.classify(views, budgets), std::exception);
}

TEST(PublicModel, ALatencyTargetIsLookedUpInThisMachinesTable) {
  ModelShape shape = checkpoint().config().shape;
  const RandomCheckpoint calibrated(shape);
  EXPECT_FALSE(Model::load(calibrated.path()).classify("a b").predicted_milliseconds);
  EXPECT_THROW(Model::load(calibrated.path()).classify("a b", {.latency_ms = 5}), std::exception);
  store_latency_table(calibrated.path(),
                      {cpu_name(), "fp32", 1, today(), {{0.5, 4, 1.0, 2.0}, {1.0, 4, 3.0, 6.0}}});
  const Model model = Model::load(calibrated.path());
  const Answer small = model.classify("a b", {.latency_ms = 5});
  EXPECT_EQ(small.budget, 0.5);
  EXPECT_EQ(small.predicted_milliseconds, 1.0);
  EXPECT_EQ(model.classify("a b", {.latency_ms = 6}).budget, 1.0);
  EXPECT_EQ(model.work({.latency_ms = 5}, 4).model, model.work({.fraction = 0.5}, 4).model);
  EXPECT_LT(model.work({.latency_ms = 5}, 4).model, model.work({.latency_ms = 6}, 4).model);
  try {
    model.classify("a b", {.latency_ms = 1});
    FAIL() << "no budget takes 1 ms";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::target_unreachable);
    EXPECT_FALSE(error.operation().empty());
  }
}

TEST(PublicModel, ThreadsChangeNoBit) {
  const std::vector<std::string> texts = some_texts(100);
  const auto one = scores(Model::load(checkpoint().path()), texts, {0.5});
  for (const int threads : {2, 5}) {
    const Model model = Model::load(checkpoint().path(), {.threads = threads});
    EXPECT_EQ(scores(model, texts, {0.5}), one);
    EXPECT_EQ(scores(model, texts, {0.5}), one) << "the second call of the same pool";
  }
}

TEST(PublicModel, ManyCallersShareOneModel) {
  const Model model = Model::load(checkpoint().path(), {.threads = 2});
  const std::vector<std::string> texts = some_texts(20);
  const auto expected = scores(model, texts, {0.5});
  std::vector<std::vector<std::vector<double>>> found(4);
  std::vector<std::thread> callers;
  callers.reserve(found.size());
  for (auto& slot : found) {
    callers.emplace_back([&] {
      for (int i = 0; i < 5; ++i) slot = scores(model, texts, {0.5});
    });
  }
  for (std::thread& caller : callers) caller.join();
  for (const auto& each : found) EXPECT_EQ(each, expected);
}

TEST(PublicModel, ABadTextFailsTheCallAndNotTheModel) {
  for (const int threads : {1, 3}) {
    const Model model = Model::load(checkpoint().path(), {.threads = threads});
    std::vector<std::string> texts = some_texts(50);
    texts[17] = "\xff";
    EXPECT_THROW(scores(model, texts, {}), std::exception);
    EXPECT_EQ(scores(model, {"a b"}, {}).size(), 1U);
  }
}

TEST(PublicModel, ThreadCountsAreChecked) {
  EXPECT_THROW(Model::load(checkpoint().path(), {.threads = 0}), std::exception);
}

}  // namespace
}  // namespace headroom
