// The rule of --budget auto: temperatures, confidences, when a rung settles, and policy.json.
#include <gtest/gtest.h>

#include <cmath>

#include "budget/fraction.h"
#include "budget/ladder/ngram_bag.h"
#include "budget/ladder/policy.h"
#include "budget/ladder/policy_calibration.h"
#include "support.h"

namespace headroom {
namespace {

using testing::expect_error;

Policy three_rungs() {
  Policy policy;
  policy.weights_checksum = 0x0123456789abcdef;
  policy.rung_zero_checksum = 7;
  policy.temperatures = {{0, 2}, {0.25, 1.5}, {0.75, 1.1}, {1, 1.3}};
  policy.rungs = {{0, {}}, {0.25, {}}, {1, {}}};
  policy.levels = {{{0, 0}, {1, 0, 0}, 0.9, 0.88, 0}, {{0.8, 0.9}, {1, 0.4, 0.1}, 0.99, 0.92, 0.2}};
  policy.promised = 0.99;
  policy.precision = "fp32";
  policy.date = "2026-01-02";
  return policy;
}

TEST(Confidence, ATemperatureIsThatOfTheLogits) {
  std::vector<double> scores = {0.8, 0.2};  // logits log 4 and 0
  apply_temperature(scores, 2);
  EXPECT_NEAR(scores[0], 2.0 / 3, 1e-12);  // log 2 and 0
  EXPECT_NEAR(scores[1], 1.0 / 3, 1e-12);
}

TEST(Confidence, TemperatureOneChangesNoBit) {
  std::vector<double> scores = {0.1 + 0.2, 0.7};
  apply_temperature(scores, 1);
  EXPECT_EQ(scores, (std::vector<double>{0.1 + 0.2, 0.7}));
}

TEST(Confidence, AScoreOfZeroStaysZero) {
  std::vector<double> scores = {1, 0};
  apply_temperature(scores, 3);
  EXPECT_EQ(scores, (std::vector<double>{1, 0}));
}

TEST(Blend, MultipliesPowersOfTheScores) {
  std::vector<double> scores = {0.6, 0.4};
  blend(scores, std::vector<double>{0.2, 0.8}, 0.5);  // odds 1.5 · (1/4)^½
  EXPECT_NEAR(scores[0] / scores[1], 0.75, 1e-12);
  EXPECT_NEAR(scores[0] + scores[1], 1, 1e-12);
}

TEST(Blend, AWeightOfZeroChangesNoBit) {
  std::vector<double> scores = {0.1 + 0.2, 0.7};
  blend(scores, std::vector<double>{0.9, 0.1}, 0);
  EXPECT_EQ(scores, (std::vector<double>{0.1 + 0.2, 0.7}));
}

TEST(Blend, ScoresThatExcludeEachOtherStay) {
  std::vector<double> scores = {1, 0};
  blend(scores, std::vector<double>{0, 1}, 1);
  EXPECT_EQ(scores, (std::vector<double>{1, 0}));
}

TEST(Confidence, TopMarginAndEntropyAreNumbersFromZeroToOne) {
  const std::vector<double> scores = {0.5, 0.25, 0.25};
  EXPECT_EQ(confidence_of(Confidence::top, scores, {}, {}), 0.5);
  EXPECT_EQ(confidence_of(Confidence::margin, scores, {}, {}), 0.25);
  const double entropy = 1.5 * std::log(2.0);
  EXPECT_NEAR(confidence_of(Confidence::entropy, scores, {}, {}), 1 - entropy / std::log(3.0),
              1e-12);
  const std::vector<double> sure = {1, 0, 0};
  for (const Confidence kind : {Confidence::top, Confidence::margin, Confidence::entropy}) {
    EXPECT_EQ(confidence_of(kind, sure, {}, {}), 1);
  }
}

TEST(Confidence, TheLearnedRuleSeesTheRungBefore) {
  const std::vector<double> scores = {0.7, 0.3};
  const std::vector<double> same = {0.6, 0.4};
  const std::vector<double> other = {0.4, 0.6};
  const std::vector<double> rule = {0, 0, 0, 0, 3, 0};  // only whether both agree
  EXPECT_NEAR(confidence_of(Confidence::learned, scores, same, rule), 1 / (1 + std::exp(-3.0)),
              1e-12);
  EXPECT_EQ(confidence_of(Confidence::learned, scores, other, rule), 0.5);
}

TEST(Policy, StopsAtTheThresholdOrAboveAndAlwaysOnTheLastRung) {
  const Policy policy = three_rungs();
  const std::vector<double> at_it = {0.8, 0.2};
  const std::vector<double> below = {0.7999, 0.2001};
  EXPECT_TRUE(policy.settles(0, 1, at_it, {}));
  EXPECT_FALSE(policy.settles(0, 1, below, {}));
  EXPECT_FALSE(policy.settles(1, 1, at_it, {}));
  EXPECT_TRUE(policy.settles(2, 1, below, {}));
  EXPECT_TRUE(policy.settles(0, 0, below, {})) << "the lower level stops at anything";
}

TEST(Policy, TemperaturesBetweenBudgetsAreInterpolatedButNotTowardsTheBag) {
  const Policy policy = three_rungs();
  EXPECT_EQ(policy.temperature_of(0), 2);
  EXPECT_EQ(policy.temperature_of(0.125), 1.5);
  EXPECT_NEAR(policy.temperature_of(0.5), 1.3, 1e-12);
  EXPECT_EQ(policy.temperature_of(1), 1.3);
}

TEST(Policy, RungZerosWeightIsInterpolatedBetweenBudgetsThatHaveOne) {
  Policy policy = three_rungs();
  EXPECT_FALSE(policy.blends());
  policy.temperatures[1].lexical = 0.4;  // 0.25
  policy.temperatures[2].lexical = 0.2;  // 0.75
  EXPECT_TRUE(policy.blends());
  EXPECT_EQ(policy.rung_zero_weight(0), 0) << "it is rung zero";
  EXPECT_EQ(policy.rung_zero_weight(0.125), 0.4);
  EXPECT_NEAR(policy.rung_zero_weight(0.5), 0.3, 1e-12);
  EXPECT_EQ(policy.rung_zero_weight(1), 0);
}

TEST(Policy, OneThatBlendsHasAVersionThatEarlierReadersRefuse) {
  Policy policy = three_rungs();
  EXPECT_EQ(to_json(policy)["version"], 1);
  policy.temperatures[1].lexical = 0.4;
  const Json json = to_json(policy);
  EXPECT_EQ(json["version"], 2);
  EXPECT_EQ(to_json(policy_from_json(json)), json);
}

TEST(Policy, ExpectedCostWeighsRungsByWhoReachesThem) {
  const auto budget = [](double rung) { return rung; };
  EXPECT_NEAR(three_rungs().expected(1, budget), 0.4 * 0.25 + 0.1, 1e-12);
  EXPECT_EQ(three_rungs().expected(0, budget), 0);
}

TEST(Policy, IsReadAsItWasWritten) {
  const Json json = to_json(three_rungs());
  EXPECT_EQ(to_json(policy_from_json(json)), json);
  Policy learned = three_rungs();
  learned.confidence = Confidence::learned;
  learned.rungs[0].rule = learned.rungs[1].rule = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(to_json(policy_from_json(to_json(learned))), to_json(learned));
}

TEST(Policy, DamageIsNamed) {
  const auto refuse = [](std::string_view fragment, const auto& change) {
    Json json = to_json(three_rungs());
    change(json);
    expect_error(ErrorCode::bad_model, fragment, [&] { policy_from_json(json); });
  };
  refuse("version", [](Json& json) { json["version"] = 3; });
  refuse("rung_zero", [](Json& json) { json["temperatures"][1]["rung_zero"] = -0.5; });
  refuse("rung zero itself", [](Json& json) { json["temperatures"][0]["rung_zero"] = 0.5; });
  refuse("rung_zero_xxh64", [](Json& json) {
    json["temperatures"][1]["rung_zero"] = 0.5;
    json["rungs"].erase(0);
    json.erase("rung_zero_xxh64");
  });
  refuse("weights_xxh64", [](Json& json) { json["weights_xxh64"] = "12"; });
  refuse("rungs", [](Json& json) { json["rungs"] = Json::array(); });
  refuse("does not ascend", [](Json& json) { json["rungs"][1]["budget"] = 0; });
  refuse("end with budget 1", [](Json& json) { json["rungs"][2]["budget"] = 0.5; });
  refuse("thresholds", [](Json& json) { json["levels"][1]["thresholds"] = {0.5}; });
  refuse("thresholds", [](Json& json) { json["levels"][1]["thresholds"][0] = -1; });
  refuse("reached", [](Json& json) { json["levels"][0]["reached"][0] = "all"; });
  refuse("temperature", [](Json& json) { json["temperatures"][0]["temperature"] = 0; });
  refuse("confidence", [](Json& json) { json["confidence"] = "luck"; });
  refuse("rule", [](Json& json) { json["confidence"] = "learned"; });
  refuse("rung_zero_xxh64", [](Json& json) { json.erase("rung_zero_xxh64"); });
  refuse("levels", [](Json& json) { json["levels"] = Json::array(); });
}

NgramBag two_labels() {
  NgramBag bag{{4, 2, 2, 2}, std::vector<int8_t>(12), std::vector<float>(6)};
  bag.weights[2 * 2] = 100;  // token 2 speaks for label 0
  bag.scales[2] = 0.02F;
  return bag;
}

TEST(NgramBag, SumsTheRowsOfItsNgrams) {
  const std::vector<int32_t> ids = {2, 1, 2};  // three tokens and two pairs of them
  const std::vector<double> scores = two_labels().scores(ids, {});
  EXPECT_NEAR(std::log(scores[0] / scores[1]), 2 * 2 / std::sqrt(5.0), 1e-6);
}

TEST(NgramBag, TokensOfASecondTextHaveOtherRows) {
  const NgramTable table{4, 1024, 1, 2};
  std::vector<uint32_t> rows;
  const std::vector<int32_t> ids = {2, 2};
  const std::vector<int32_t> types = {0, 1};
  table.find_rows(ids, types, rows);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0], 2U);
  EXPECT_GE(rows[1], 4U);
}

TEST(NgramBag, RefusesUnknownTokensAndDamage) {
  const std::vector<int32_t> ids = {4};
  expect_error(ErrorCode::usage, "vocabulary", [&] { two_labels().scores(ids, {}); });
  NgramBag odd = two_labels();
  odd.table.buckets = 3;
  expect_error(ErrorCode::bad_model, "power of two", [&] { check(odd); });
  NgramBag short_bag = two_labels();
  short_bag.weights.pop_back();
  expect_error(ErrorCode::bad_model, "11 weights", [&] { check(short_bag); });
  NgramBag endless = two_labels();
  endless.scales[1] = std::nanf("");
  expect_error(ErrorCode::bad_model, "scale", [&] { check(endless); });
}

TEST(Spending, IsAFractionZeroOrAuto) {
  EXPECT_TRUE(parse_spending("auto").automatic);
  EXPECT_EQ(parse_spending("0").fraction, 0);
  EXPECT_EQ(parse_spending("0.25").fraction, 0.25);
  EXPECT_EQ(spending_name(parse_spending("auto")), "auto");
  EXPECT_EQ(parse_spendings("0,0.5,auto").size(), 3U);
  expect_error(ErrorCode::usage, "budget", [] { parse_spending("-1"); });
  expect_error(ErrorCode::usage, "budget", [] { parse_spending("Auto"); });
  expect_error(ErrorCode::usage, "budget", [] { parse_budget("0"); });
}

TEST(PolicyCalibration, IsConfigJsonsAndThenThePolicys) {
  Policy policy;
  policy.temperatures = {{0, 9}, {0.25, 4}, {0.5, 0.5}, {1, 2}};
  const std::vector<ScoreCalibration> own = {{0.25, 2, 1}, {0.75, 1, 0}};
  const std::vector<ScoreCalibration> both = calibration_with(policy, own);
  ASSERT_EQ(both.size(), 4U) << "every budget of either but the bag's";
  for (const ScoreCalibration& each : both) {
    const double inner = calibration_at(own, each.budget).apply(5);
    EXPECT_DOUBLE_EQ(each.apply(5), inner / policy.temperature_of(each.budget));
  }
  EXPECT_EQ(calibration_with(policy, {}),
            (std::vector<ScoreCalibration>{{0.25, 4}, {0.5, 0.5}, {1, 2}}));
}

}  // namespace
}  // namespace headroom
