// Queues before workers: who runs, at which budget, and who is refused.
#include "server/schedule/schedule.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "server/simulated_time.h"

namespace headroom {
namespace {

using testing::exact_text;
using testing::linear_levels;
using testing::SimulatedWorkers;
using testing::text_of;

constexpr double allowed = 20;  // ms

Schedule schedule_of(size_t models, ScheduleSettings settings) {
  return {std::vector<CostLevels>(models, linear_levels()), settings};
}

ScheduleSettings two_workers() {
  ScheduleSettings settings;
  settings.workers = 2;
  return settings;
}

std::vector<WaitingText> one(WaitingText text) {
  return {std::move(text)};
}

struct Outcome {
  int64_t answered = 0;
  int64_t late = 0;
  int64_t refused = 0;
  double least_budget = 1;
  double retry_after_seconds = 0;
};

// Texts of 40 tokens, 4 ms at budget 1, `overload` times as many as two workers can do there.
Outcome run_overload(double overload, double duration_ms) {
  Schedule schedule = schedule_of(1, two_workers());
  Outcome outcome;
  SimulatedWorkers workers(schedule, 2, [&](const Batch& batch, double now) {
    for (const WaitingText& text : batch.texts) {
      ++outcome.answered;
      if (now > text.deadline_ms) ++outcome.late;
    }
    outcome.least_budget = std::min(outcome.least_budget, batch.choice.budget);
  });
  for (double now = 0; now < duration_ms; now += 2 / overload) {
    workers.run_until(now);
    const Admission admission = schedule.offer(0, one(text_of(40, now, allowed)), now);
    if (!admission.refused) continue;
    ++outcome.refused;
    outcome.retry_after_seconds = admission.refused->retry_after_seconds;
  }
  workers.run_until(duration_ms + 1000);
  return outcome;
}

TEST(Schedule, SpendsLessBeforeItRefuses) {
  for (const double overload : {1.5, 3.0, 6.0}) {
    const Outcome outcome = run_overload(overload, 5000);
    EXPECT_EQ(outcome.refused, 0) << overload;
    EXPECT_EQ(outcome.late, 0) << overload;
    EXPECT_LT(outcome.least_budget, 1) << overload;
  }
}

TEST(Schedule, RefusesWhenEvenTheLeastBudgetIsTooSlow) {
  const Outcome outcome = run_overload(16, 5000);  // twice what budget 0.125 can do
  EXPECT_EQ(outcome.least_budget, 0.125);
  EXPECT_NEAR(static_cast<double>(outcome.refused) /
                  static_cast<double>(outcome.answered + outcome.refused),
              0.5, 0.05);
  EXPECT_EQ(outcome.late, 0) << "what was accepted is answered in time";
  EXPECT_GT(outcome.retry_after_seconds, 0);
  EXPECT_LE(outcome.retry_after_seconds, allowed / 1000);
}

TEST(Schedule, RetryAfterIsTheTimeThatTheQueueNeedsAtTheLeastBudget) {
  Schedule schedule = schedule_of(1, two_workers());
  ASSERT_FALSE(schedule.offer(0, {exact_text(1000, 1, 0), exact_text(1000, 1, 0)}, 0).refused);
  const Admission admission = schedule.offer(0, one(text_of(40, 0, allowed)), 0);
  ASSERT_TRUE(admission.refused);
  EXPECT_EQ(admission.refused->why, Refusal::deadline_unreachable);
  EXPECT_DOUBLE_EQ(admission.refused->retry_after_seconds, 0.1);  // 200 ms of work, two workers
  EXPECT_EQ(schedule.waiting(0), 2) << "a refused text leaves nothing behind";
}

TEST(Schedule, AFullQueueTakesACallWholeOrNotAtAll) {
  ScheduleSettings settings = two_workers();
  settings.queue_limit = 3;
  Schedule schedule = schedule_of(1, settings);
  EXPECT_FALSE(schedule.offer(0, {exact_text(1, 1, 0), exact_text(1, 1, 0)}, 0).refused);
  const Admission admission = schedule.offer(0, {exact_text(1, 1, 0), exact_text(1, 1, 0)}, 0);
  ASSERT_TRUE(admission.refused);
  EXPECT_EQ(admission.refused->why, Refusal::queue_full);
  EXPECT_EQ(schedule.waiting(0), 2);
  EXPECT_FALSE(schedule.offer(0, one(exact_text(1, 1, 0)), 0).refused);
}

TEST(Schedule, ForeseesWhenACallIsAnswered) {
  Schedule schedule = schedule_of(1, two_workers());
  EXPECT_DOUBLE_EQ(schedule.offer(0, one(exact_text(100, 1, 0)), 0).predicted_ms, 10);
  EXPECT_DOUBLE_EQ(schedule.offer(0, one(exact_text(100, 1, 0)), 0).predicted_ms, 15)
      << "half of the first text's time by the bound, then its own";
}

TEST(Schedule, ExactBudgetsStayExactUnderOverload) {
  Schedule schedule = schedule_of(1, two_workers());
  std::map<double, int64_t> ran;
  SimulatedWorkers workers(schedule, 2, [&](const Batch& batch, double) {
    for (const WaitingText& text : batch.texts) {
      if (!text.budget) continue;
      EXPECT_EQ(batch.choice.budget, *text.budget);
      EXPECT_EQ(batch.choice.reason, BudgetReason::exact);
      ++ran[*text.budget];
    }
  });
  for (int i = 0; i < 1000; ++i) {
    workers.run_until(i);
    schedule.offer(0, one(i % 10 == 0 ? exact_text(10, 0.3, i) : text_of(40, i, allowed)), i);
  }
  workers.run_until(10000);
  EXPECT_EQ(ran, (std::map<double, int64_t>{{0.3, 100}}));
}

TEST(Schedule, ABatchNeverMixesBudgets) {
  Schedule schedule = schedule_of(1, {1, 512, 2048, {}});
  for (int i = 0; i < 30; ++i) {
    schedule.offer(0, one(exact_text(1, i % 3 == 0 ? 0.25 : 0.5, 0)), 0);
  }
  size_t texts = 0;
  while (const std::optional<Batch> batch = schedule.take(0)) {
    for (const WaitingText& text : batch->texts) EXPECT_EQ(*text.budget, batch->choice.budget);
    texts += batch->texts.size();
    schedule.finished(*batch, 0);
  }
  EXPECT_EQ(texts, 30U);
}

TEST(Schedule, ABatchKeepsToItsTokensItsTimeAndItsShare) {
  const auto first_batch = [](int workers, int64_t max_tokens, double budget) {
    Schedule schedule = schedule_of(1, {workers, 512, max_tokens, {}});
    schedule.offer(0, std::vector<WaitingText>(8, exact_text(2, budget, 0)), 0);
    return schedule.take(0)->texts.size();
  };
  EXPECT_EQ(first_batch(1, 2048, 0.5), 8U) << "0.1 ms each: all of them";
  EXPECT_EQ(first_batch(1, 7, 0.5), 3U) << "seven tokens";
  EXPECT_EQ(first_batch(1, 1, 0.5), 1U) << "a text that is longer than a batch goes alone";
  EXPECT_EQ(first_batch(2, 2048, 0.5), 4U) << "half is left for the other worker";
  EXPECT_EQ(first_batch(1, 2048, 1.0), 5U) << "0.2 ms each: a millisecond";
}

TEST(Schedule, DropsTheWaitingTextsOfOneCall) {
  Schedule schedule = schedule_of(1, two_workers());
  schedule.offer(0, {exact_text(5, 1, 0), exact_text(6, 1, 0)}, 0);
  EXPECT_EQ(schedule.drop(0, nullptr).size(), 2U) << "texts without a call are those of none";
  EXPECT_TRUE(schedule.idle());
  EXPECT_FALSE(schedule.take(0));
}

TEST(Schedule, AFloodedModelDoesNotTakeTheOthersShare) {
  Schedule schedule = schedule_of(2, two_workers());
  std::vector<double> used_ms(2);
  int64_t quiet_late = 0;
  SimulatedWorkers workers(schedule, 2, [&](const Batch& batch, double now) {
    used_ms[batch.model] += now - batch.started_ms;
    for (const WaitingText& text : batch.texts) {
      if (batch.model == 1 && now > text.deadline_ms) ++quiet_late;
    }
  });
  int64_t quiet_refused = 0;
  for (int i = 0; i < 5000; ++i) {
    workers.run_until(i);
    schedule.offer(0, std::vector<WaitingText>(10, exact_text(100, 1, i)), i);  // 50 times too much
    if (i % 10 == 0 && schedule.offer(1, one(text_of(40, i, 2 * allowed)), i).refused) {
      ++quiet_refused;
    }
  }
  EXPECT_EQ(quiet_refused, 0);
  EXPECT_EQ(quiet_late, 0);
  EXPECT_NEAR(used_ms[0] + used_ms[1], 10000, 100) << "no worker was idle";
}

TEST(Schedule, TwoFloodedModelsShareTheWorkersByTime) {
  Schedule schedule = schedule_of(2, two_workers());
  std::vector<double> used_ms(2);
  SimulatedWorkers workers(schedule, 2, [&](const Batch& batch, double now) {
    used_ms[batch.model] += now - batch.started_ms;
  });
  for (int i = 0; i < 5000; ++i) {
    workers.run_until(i);
    schedule.offer(0, one(exact_text(300, 1, i)), i);  // long texts
    schedule.offer(1, std::vector<WaitingText>(5, exact_text(20, 1, i)), i);
  }
  EXPECT_NEAR(used_ms[0] / (used_ms[0] + used_ms[1]), 0.5, 0.02);
}

// How calls fare, one every 300 ms, on a machine `slower` times slower than its table.
Outcome lonely_calls(Schedule& schedule, double from, int count, double slower) {
  Outcome outcome;
  for (int i = 0; i < count; ++i) {
    const double now = from + 300.0 * i;
    if (schedule.offer(0, one(text_of(40, now, allowed)), now).refused) {
      ++outcome.refused;
      continue;
    }
    const std::optional<Batch> batch = schedule.take(now);
    const double taken = slower * batch->median_ms;
    schedule.finished(*batch, now + taken);
    ++(taken > allowed ? outcome.late : outcome.answered);
  }
  return outcome;
}

TEST(Schedule, OnAMachineFarSlowerThanItsTableCallsAreRefusedInsteadOfLate) {
  Schedule schedule = schedule_of(1, two_workers());
  const Outcome first = lonely_calls(schedule, 0, 200, 50);
  EXPECT_LT(first.late, 100) << "until it is known";
  const Outcome later = lonely_calls(schedule, 60'000, 1000, 50);
  EXPECT_LT(later.late, 30) << "one that is tried now and then";
  const Outcome fast_again = lonely_calls(schedule, 360'000, 1000, 1);
  EXPECT_LT(fast_again.refused, 150) << "half a minute's";
  EXPECT_EQ(fast_again.late, 0);
}

}  // namespace
}  // namespace headroom
