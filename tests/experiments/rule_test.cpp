// The rule that makes verdicts: what noise, direction and size of an effect may do to them.
#include "experiments/claims/rule.h"

#include <gtest/gtest.h>

#include <vector>

#include "experiments/claims/claims.h"

namespace headroom::experiments {
namespace {

constexpr Direction directions[] = {Direction::above, Direction::below, Direction::within};

Verdict judge(double mean, double error, Direction direction, double threshold,
              double degrees = 2) {
  return verdict_of(tails_of({mean, error, degrees}, direction, threshold));
}

TEST(Rule, TheNinetyFivePercentIntervalDecides) {
  // Student's t with 2 degrees of freedom: half the interval is 4.303 standard errors.
  EXPECT_EQ(judge(0.44, 0.1, Direction::above, 0), Verdict::reproduced);
  EXPECT_EQ(judge(0.42, 0.1, Direction::above, 0), Verdict::inconclusive);
  EXPECT_EQ(judge(-0.42, 0.1, Direction::above, 0), Verdict::inconclusive);
  EXPECT_EQ(judge(-0.44, 0.1, Direction::above, 0), Verdict::not_reproduced);
  EXPECT_EQ(judge(0, 0.2, Direction::within, 1), Verdict::reproduced);
  EXPECT_EQ(judge(0, 0.3, Direction::within, 1), Verdict::inconclusive);
}

TEST(Rule, NoiseOnlyEverLeadsToInconclusive) {
  for (const Direction direction : directions) {
    for (double mean = -2; mean <= 2; mean += 0.125) {
      Verdict before = judge(mean, 0.001, direction, 0.5);
      for (double error = 0.01; error < 3; error *= 1.5) {
        const Verdict now = judge(mean, error, direction, 0.5);
        if (now != before) {
          EXPECT_EQ(now, Verdict::inconclusive) << mean << " ± " << error;
        }
        before = now;
      }
    }
  }
}

TEST(Rule, AboveAndBelowAreMirrored) {
  for (double mean = -2; mean <= 2; mean += 0.125) {
    for (const double error : {0.0, 0.05, 0.2, 1.0}) {
      EXPECT_EQ(judge(mean, error, Direction::above, 0.5),
                judge(-mean, error, Direction::below, -0.5));
      EXPECT_EQ(judge(mean, error, Direction::within, 0.5),
                judge(-mean, error, Direction::within, 0.5));
      const Tails for_it = tails_of({mean, error, 2}, Direction::above, 0.5);
      const Tails against_it = tails_of({mean, error, 2}, Direction::below, 0.5);
      EXPECT_EQ(for_it.supports, against_it.refutes) << "what supports one refutes the other";
    }
  }
}

TEST(Rule, ALargerEffectNeverHasAWorseVerdict) {
  const auto rank = [](Verdict verdict) {
    return verdict == Verdict::reproduced ? 2 : verdict == Verdict::inconclusive ? 1 : 0;
  };
  int before = 0;
  for (double mean = -2; mean <= 2; mean += 0.01) {
    const int now = rank(judge(mean, 0.1, Direction::above, 0.5));
    EXPECT_GE(now, before) << mean;
    before = now;
  }
  EXPECT_EQ(before, 2);
}

TEST(Rule, OneSeedProvesNothingAndCountsStandAsTheyAre) {
  EXPECT_EQ(verdict_of(tails_of(effect_of({5}, ""), Direction::above, 0)), Verdict::inconclusive);
  EXPECT_EQ(verdict_of(tails_of(effect_of({}, ""), Direction::above, 0)), Verdict::inconclusive);
  EXPECT_EQ(verdict_of(tails_of(counted(0.1, ""), Direction::above, 0)), Verdict::reproduced);
  EXPECT_EQ(verdict_of(tails_of(counted(-0.1, ""), Direction::above, 0)), Verdict::not_reproduced);
}

TEST(Rule, HolmIsAtLeastThePValueAndKeepsItsOrder) {
  EXPECT_EQ(holm({0.01, 0.04, 0.03}), (std::vector<double>{0.03, 0.06, 0.06}));
  EXPECT_EQ(holm({0.02}), (std::vector<double>{0.02}));
  EXPECT_TRUE(holm({}).empty());
}

TEST(Rule, HolmNeverGainsFromNoiseInAnotherDataSet) {
  const std::vector<double> quiet = holm({0.001, 0.002, 0.2});
  const std::vector<double> noisy = holm({0.001, 0.3, 0.2});
  for (size_t i = 0; i < quiet.size(); ++i) EXPECT_GE(noisy[i], quiet[i]);
}

TEST(Rule, StatementsCombine) {
  using enum Verdict;
  EXPECT_EQ(combined({reproduced, reproduced}, Combination::all), reproduced);
  EXPECT_EQ(combined({reproduced, inconclusive}, Combination::all), partly);
  EXPECT_EQ(combined({reproduced, not_reproduced}, Combination::all), partly);
  EXPECT_EQ(combined({inconclusive, not_reproduced}, Combination::all), not_reproduced);
  EXPECT_EQ(combined({inconclusive, inconclusive}, Combination::all), inconclusive);
  EXPECT_EQ(combined({inconclusive, reproduced}, Combination::any), reproduced);
  EXPECT_EQ(combined({inconclusive, not_reproduced}, Combination::any), inconclusive);
  EXPECT_EQ(combined({not_reproduced, not_reproduced}, Combination::any), not_reproduced);
}

// Whatever statements there are: making one of them open never makes the claim look better.
TEST(Rule, AnOpenStatementNeverImprovesAClaim) {
  using enum Verdict;
  const auto praise = [](Verdict verdict) {
    return verdict == reproduced ? 2 : verdict == partly ? 1 : 0;
  };
  for (const Combination combination : {Combination::all, Combination::any}) {
    for (const Verdict a : {reproduced, not_reproduced, inconclusive}) {
      for (const Verdict b : {reproduced, not_reproduced, inconclusive}) {
        EXPECT_LE(praise(combined({a, inconclusive}, combination)),
                  praise(combined({a, b}, combination)));
      }
    }
  }
}

TEST(Rule, FailuresAreComparedExactly) {
  const Tails some = more_failures(2, 5, 0, 5);
  EXPECT_NEAR(some.supports, 10.0 / 45, 1e-9);
  EXPECT_EQ(verdict_of(some), Verdict::inconclusive);
  EXPECT_EQ(verdict_of(more_failures(5, 5, 0, 5)), Verdict::reproduced);
  EXPECT_EQ(verdict_of(more_failures(0, 5, 5, 5)), Verdict::not_reproduced);
  EXPECT_EQ(verdict_of(more_failures(0, 4, 0, 4)), Verdict::inconclusive);
}

TEST(Rule, UnmatchedArmsAndMissingOnesStayOpen) {
  const Claim& claim = claim_numbered(12);
  Finding finding{12, "", {{claim.tests[0].test, effect_of({3, 3.1, 3.2}, "points")}}};
  finding.evidence[0].open = "not matched";
  const Finding* findings[] = {&finding};
  const std::vector<std::vector<Tails>> all = corrected_tails(claim, findings);
  for (const Tails& tails : all[0]) {
    EXPECT_EQ(verdict_of(tails), Verdict::inconclusive);
  }
  finding.evidence[0].open.clear();
  EXPECT_EQ(verdict_of(corrected_tails(claim, findings)[0][0]), Verdict::reproduced);
}

TEST(Rule, EveryTestOfAClaimHasAThresholdInSomeUnit) {
  for (const Claim& claim : published_claims()) {
    EXPECT_FALSE(claim.tests.empty()) << claim.number;
    for (const Criterion& test : claim.tests) {
      for (const char* unit : {"points", "BLEU", "nats"}) threshold_for(test, unit);
    }
  }
}

}  // namespace
}  // namespace headroom::experiments
