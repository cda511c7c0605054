// --budget auto in the engine: each text stops where its rung is sure, with the bits of that rung's
// flat budget.
#include "engine/ladder/ladder.h"

#include <gtest/gtest.h>

#include "engine/random_model.h"
#include "engine/session.h"

namespace headroom {
namespace {

using testing::expect_error;
using testing::RandomCheckpoint;

constexpr Budget automatic = {.automatic = true};

NgramBag letters_bag(const ModelConfig& config) {
  Random random{3};
  const NgramTable table{config.shape.vocabulary, 64, 2, config.shape.labels};
  const auto rows = static_cast<size_t>(table.rows());
  NgramBag bag{table, {}, std::vector<float>(rows, 0.02F)};
  for (size_t i = 0; i < rows * static_cast<size_t>(table.labels); ++i) {
    bag.weights.push_back(static_cast<int8_t>(static_cast<int>(random.below(255)) - 127));
  }
  return bag;
}

class LadderTest : public ::testing::Test {
 protected:
  // Rungs 0, 0.5 and 1 that stop at these highest scores.
  void store(double zero, double half, double weight = 0) {
    Policy policy;
    policy.temperatures = {{0, 1}, {0.5, 1.6, 0, weight}, {1, 1.25, 0, weight / 2}};
    policy.rungs = {{0, {}}, {0.5, {}}, {1, {}}};
    policy.levels = {{{0, 0}, {1, 0, 0}, 0.8, {}, 0}, {{zero, half}, {1, 0.5, 0.2}, 0.9, {}, 0.4}};
    policy.promised = 0.9;
    policy.precision = "fp32";
    policy.date = "2026-01-02";
    write_policy(checkpoint_.path(), policy, letters_bag(checkpoint_.config()));
  }
  // Without rung zero; never sure before the last rung.
  void store_without_bag(std::vector<Rung> rungs) {
    Policy policy;
    policy.temperatures = {{0.125, 1.6}, {1, 1.25}};
    policy.rungs = std::move(rungs);
    const size_t count = policy.rungs.size();
    policy.levels = {{std::vector<double>(count - 1, 2), std::vector<double>(count, 1), 1, {}, 1}};
    policy.promised = 0.9;
    policy.precision = "fp32";
    policy.date = "2026-01-02";
    write_policy(checkpoint_.path(), policy, {});
  }
  std::vector<Answer> run(const Budget& budget, std::optional<LatencyTable> table = {},
                          std::optional<size_t> level = {}) const {
    Session session(EngineModel::load(checkpoint_.path()), 1, std::move(table));
    return session.run(inputs(), std::span(&budget, 1), level);
  }
  static std::vector<Tokens> inputs() {
    Random random{5};
    std::vector<Tokens> all;
    for (int i = 0; i < 40; ++i) {
      Tokens input{{2}};
      for (int k = 0; k < 1 + i % 7; ++k) {
        input.ids.push_back(static_cast<int32_t>(5 + random.below(6)));
      }
      input.ids.push_back(3);
      all.push_back(std::move(input));
    }
    return all;
  }
  // Of the model as it was before tune.
  std::vector<Answer> raw(double budget) const {
    EngineOptions options;
    options.without_policy = true;
    Session session(EngineModel::load(checkpoint_.path(), options));
    return session.run(inputs(), Budget{budget});
  }
  const RandomCheckpoint checkpoint_{testing::small_shape()};
};

void expect_same_answers(const std::vector<Answer>& a, const std::vector<Answer>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].scores, b[i].scores) << "input " << i;
    EXPECT_EQ(a[i].label, b[i].label);
  }
}

TEST_F(LadderTest, ThresholdsOfZeroAreTheFirstRung) {
  store(0, 0);
  const std::vector<Answer> answers = run(automatic);
  expect_same_answers(answers, run(Budget{0}));
  EXPECT_EQ(answers[0].rungs, std::vector<double>{0});
  EXPECT_EQ(answers[0].budget, 0);
  EXPECT_EQ(answers[0].active_heads, 0);
}

TEST_F(LadderTest, ThresholdsAboveOneAreTheFullModel) {
  store(2, 2);
  const std::vector<Answer> answers = run(automatic);
  expect_same_answers(answers, run(Budget{}));
  EXPECT_EQ(answers[0].rungs, (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(answers[0].budget, 1.5) << "all rungs together";
  EXPECT_EQ(answers[0].active_heads, 1);
}

TEST_F(LadderTest, EachTextStopsAtTheFirstRungThatIsSure) {
  store(0.6, 0.5);
  const std::vector<Answer> zero = run(Budget{0});
  const std::vector<Answer> half = run(Budget{0.5});
  const std::vector<Answer> full = run(Budget{});
  const std::vector<Answer> answers = run(automatic);
  std::array<int, 3> stopped{};
  for (size_t i = 0; i < answers.size(); ++i) {
    const size_t rung = zero[i].scores[zero[i].label] >= 0.6   ? 0
                        : half[i].scores[half[i].label] >= 0.5 ? 1
                                                               : 2;
    const std::vector<Answer>& expected = rung == 0 ? zero : rung == 1 ? half : full;
    EXPECT_EQ(answers[i].scores, expected[i].scores) << "input " << i << ", rung " << rung;
    EXPECT_EQ(answers[i].rungs.size(), rung + 1);
    EXPECT_EQ(answers[i].tokens, static_cast<int64_t>(inputs()[i].ids.size()));
    ++stopped[rung];
  }
  for (const int count : stopped) EXPECT_GT(count, 0) << "every rung settles some";
}

// One mechanism: a temperature of policy.json does to logits what one of config.json does.
TEST_F(LadderTest, FlatBudgetsGetTheStoredTemperatureAndNothingElse) {
  store(0.6, 0.5);
  ModelConfig config = checkpoint_.config();
  config.output.calibration = {{0.5, 1.6}, {1, 1.25}};
  EngineOptions options;
  options.without_policy = true;
  Session session(EngineModel::load(checkpoint_.path(), config, options));
  for (const double budget : {0.5, 0.75, 1.0}) {
    expect_same_answers(run(Budget{budget}), session.run(inputs(), Budget{budget}));
  }
  std::vector<Answer> expected = raw(0.5);
  const std::vector<Answer> found = run(Budget{0.5});
  for (size_t i = 0; i < found.size(); ++i) {
    apply_temperature(expected[i].scores, 1.6);  // what tune fits
    for (size_t k = 0; k < expected[i].scores.size(); ++k) {
      EXPECT_NEAR(found[i].scores[k], expected[i].scores[k], 1e-12);
    }
  }
}

TEST_F(LadderTest, RungZeroHasASayWhereThePolicyGivesItOne) {
  store(0.6, 0.5);
  const std::vector<Answer> zero = run(Budget{0});
  std::vector<Answer> expected = run(Budget{0.5});
  size_t changed = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    blend(expected[i].scores, zero[i].scores, 0.8);
    changed += best_label(expected[i].scores) == expected[i].label ? 0 : 1;
    expected[i].label = best_label(expected[i].scores);
  }
  EXPECT_GT(changed, 0U) << "labels follow the scores";
  store(0.6, 0.5, 0.8);
  expect_same_answers(run(Budget{0.5}), expected);
  expect_same_answers(run(Budget{0}), zero);
}

TEST_F(LadderTest, RungsThatBlendHaveTheBitsOfTheirFlatBudgets) {
  store(0.6, 0.5, 0.8);
  const std::vector<Answer> zero = run(Budget{0});
  const std::vector<Answer> half = run(Budget{0.5});
  const std::vector<Answer> full = run(Budget{});
  const std::vector<Answer> answers = run(automatic);
  for (size_t i = 0; i < answers.size(); ++i) {
    const size_t rung = answers[i].rungs.size() - 1;
    const std::vector<Answer>& expected = rung == 0 ? zero : rung == 1 ? half : full;
    EXPECT_EQ(answers[i].scores, expected[i].scores) << "input " << i << ", rung " << rung;
    EXPECT_EQ(answers[i].label, expected[i].label);
  }
}

TEST_F(LadderTest, TemperaturesComeBehindTheCalibrationOfConfigJson) {
  store(0.6, 0.5);
  ModelConfig config = checkpoint_.config();
  config.output.calibration = {{1, 2}};
  Session both(EngineModel::load(checkpoint_.path(), config, {}));
  EXPECT_EQ(both.model().config().output.calibration,
            (std::vector<ScoreCalibration>{{0.5, 3.2}, {1, 2.5}}));
}

TEST_F(LadderTest, ALevelBelowThePromisedStopsEarlier) {
  store(2, 2);
  expect_same_answers(run(automatic, {}, 0), run(Budget{0}));
}

TEST_F(LadderTest, ATextGetsTheSameBitsAloneAndAmongOthers) {
  store(0.6, 0.5);
  const std::vector<Answer> together = run(automatic);
  Session session(EngineModel::load(checkpoint_.path()));
  const std::vector<Tokens> all = inputs();
  for (size_t i = 0; i < all.size(); ++i) {
    const Answer alone = session.run(std::span(&all[i], 1), automatic).at(0);
    EXPECT_EQ(alone.scores, together[i].scores);
    EXPECT_EQ(alone.rungs, together[i].rungs);
  }
}

TEST_F(LadderTest, FlatAndAutomaticBudgetsMix) {
  store(2, 2);
  Session session(EngineModel::load(checkpoint_.path()));
  const std::vector<Tokens> all = inputs();
  std::vector<Budget> budgets(all.size(), Budget{0.5});
  budgets[1] = automatic;
  budgets[2] = Budget{0};
  const std::vector<Answer> answers = session.run(all, budgets);
  EXPECT_EQ(answers[0].scores, run(Budget{0.5})[0].scores);
  EXPECT_EQ(answers[1].scores, run(Budget{})[1].scores);
  EXPECT_EQ(answers[2].scores, run(Budget{0})[2].scores);
  EXPECT_TRUE(answers[0].rungs.empty());
}

TEST_F(LadderTest, StopsWhereTheDeadlineWouldBeMissed) {
  store(2, 2);
  // A budget takes its fraction in milliseconds, at any length.
  const LatencyTable table{
      "", "fp32", 1, "", {{0.5, 1, 0.5, 0.5}, {0.5, 64, 0.5, 0.5}, {1, 1, 1, 1}, {1, 64, 1, 1}}};
  const auto rungs = [&](double ms) {
    return run({.latency_ms = ms, .automatic = true}, table).at(6).rungs;
  };
  EXPECT_EQ(rungs(1.6), (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(rungs(1.4), (std::vector<double>{0, 0.5}));
  EXPECT_EQ(rungs(0.4), (std::vector<double>{0}));
  EXPECT_EQ(run({.latency_ms = 1.6, .automatic = true}, table).at(6).predicted_milliseconds, 1.5);
}

TEST_F(LadderTest, ALatencyBelowTheFirstRungGetsTheLargestBudgetThatItAllows) {
  // A budget takes its fraction in milliseconds, at any length.
  LatencyTable table{"", "fp32", 1, "", {}};
  for (const double budget : {0.125, 0.25, 0.5, 1.0}) {
    for (const int64_t tokens : {1, 64}) table.cells.push_back({budget, tokens, budget, budget});
  }
  for (const std::vector<Rung>& rungs : {std::vector<Rung>{{1, {}}}, {{0.5, {}}, {1, {}}}}) {
    store_without_bag(rungs);
    const auto within = [&](double ms) {
      return run({.latency_ms = ms, .automatic = true}, table);
    };
    const std::vector<Answer> answers = within(0.3);
    expect_same_answers(answers, run(Budget{0.25}));
    EXPECT_EQ(answers[6].rungs, std::vector<double>{0.25});
    EXPECT_EQ(answers[6].budget, 0.25);
    EXPECT_EQ(within(0.2)[6].rungs, std::vector<double>{0.125});
    expect_same_answers(within(9), run(Budget{}));
    expect_error(ErrorCode::target_unreachable, "smallest calibrated budget", [&] { within(0.1); });
  }
}

TEST_F(LadderTest, WithoutAPolicyAutoSaysWhatToDo) {
  expect_error(ErrorCode::usage, "run headroom tune", [&] { run(automatic); });
  expect_error(ErrorCode::usage, "bag of n-grams", [&] { run(Budget{0}); });
  expect_same_answers(run(Budget{0.5}), raw(0.5));
}

}  // namespace
}  // namespace headroom
