// tune() from rows to a stored policy, and --budget auto with it.
#include "tune/tune.h"

#include <gtest/gtest.h>

#include "checkpoint/policy_file.h"
#include "engine/random_model.h"
#include "tune/session_model.h"

namespace headroom {
namespace {

using testing::RandomCheckpoint;

TuneRows random_rows(size_t count) {
  Random random{7};
  TuneRows rows;
  for (size_t i = 0; i < count; ++i) {
    Tokens row{{2}};
    const uint64_t length = 1 + random.below(8);
    for (uint64_t k = 0; k < length; ++k) {
      row.ids.push_back(static_cast<int32_t>(5 + random.below(6)));
    }
    row.ids.push_back(3);
    rows.inputs.push_back(std::move(row));
  }
  return rows;
}

TEST(Tune, StoresAPolicyThatAutoFollows) {
  const RandomCheckpoint checkpoint(testing::small_shape());
  SilentProgress silent;
  TuneSettings settings;
  settings.budgets = {0.5, 1};
  settings.promised = 0.9;
  const TuneRows rows = random_rows(400);
  TuneReport report;
  {
    Session session(EngineModel::load(checkpoint.path()));
    report = tune(tunable_model(session), rows, {}, settings, silent);
  }
  EXPECT_EQ(report.policy.fitted_rows + report.policy.checked_rows, 200) << "half teach rung zero";
  write_policy(checkpoint.path(), report.policy, report.rung_zero);
  Session session(EngineModel::load(checkpoint.path()));
  ASSERT_TRUE(session.model().policy().policy);
  const std::vector<Answer> answers = session.run(rows.inputs, Budget{.automatic = true});
  const std::vector<Answer> full = session.run(rows.inputs, Budget{});
  size_t same = 0;
  for (size_t i = 0; i < answers.size(); ++i) same += answers[i].label == full[i].label ? 1 : 0;
  EXPECT_GE(same, answers.size() * 85 / 100);
}

TEST(Tune, GivesTheSamePolicyTwice) {
  const RandomCheckpoint checkpoint(testing::small_shape());
  SilentProgress silent;
  TuneSettings settings;
  settings.budgets = {0.5, 1};
  settings.promise = Promise::mean_budget;
  settings.promised = 0.8;
  Session session(EngineModel::load(checkpoint.path()));
  const TuneRows rows = random_rows(300);
  const TuneReport first = tune(tunable_model(session), rows, {}, settings, silent);
  const TuneReport second = tune(tunable_model(session), rows, {}, settings, silent);
  EXPECT_EQ(to_json(first.policy), to_json(second.policy));
}

TEST(FitPolicy, CountsTheSharesThatReachARung) {
  ScoredRows agreeing;
  agreeing.at_budgets = {{0.5, 0.5, std::vector<Scores>(300, {0.8, 0.2})},
                         {1, 1, std::vector<Scores>(300, {0.9, 0.1})}};
  const Policy policy = fit_policy(agreeing, agreeing, {}).policy;
  ASSERT_EQ(policy.rungs.size(), 2U);
  for (const LadderLevel& level : policy.levels) {
    EXPECT_EQ(level.reached[0], 1.0) << "all rows, not a sum of 300 parts";
  }
}

// Calibrated scores of a model whose smaller budget says the opposite of it.
ScoredRows disagreeing_rows(size_t count) {
  ScoredRows rows;
  rows.at_budgets = {{0.5, 0.5, std::vector<Scores>(count, {0.1, 0.9})},
                     {1, 1, std::vector<Scores>(count, {0.9, 0.1})}};
  return rows;
}

TEST(FitPolicy, IsTheFullModelWhereRowsProveNothingElse) {
  TuneSettings settings;
  settings.or_full_model = true;
  for (const size_t checked : {50, 400}) {  // too few to prove anything, and no ladder to prove
    const Policy policy =
        fit_policy(disagreeing_rows(100), disagreeing_rows(checked), settings).policy;
    ASSERT_EQ(policy.rungs.size(), 1U) << checked;
    EXPECT_EQ(policy.rungs[0].budget, 1);
  }
}

}  // namespace
}  // namespace headroom
