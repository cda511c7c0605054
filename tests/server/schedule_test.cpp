// Queues before workers: who runs, at which budget, and who is refused.
#include "server/schedule/schedule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <set>

#include "base/random.h"
#include "server/simulated_time.h"

namespace headroom::server {
namespace {

using testing::exact_text;
using testing::from;
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

// A bag of n-grams, 0.125 and 1, at four levels of thresholds.
const Policy& three_rungs() {
  static const Policy policy = [] {
    Policy made;
    made.rungs = {{0, {}}, {0.125, {}}, {1, {}}};
    made.levels = {{{0, 0}, {1, 0, 0}, 0.9, {}, 0},
                   {{0.5, 0}, {1, 0.3, 0}, 0.95, {}, 0.04},
                   {{0.7, 0.5}, {1, 0.4, 0.05}, 0.97, {}, 0.1},
                   {{0.9, 0.9}, {1, 0.5, 0.2}, 0.99, {}, 0.26}};
    return made;
  }();
  return policy;
}

constexpr double bag_token_ms = 0.0005;  // 0.02 ms a text of 40 tokens, of 4 ms in full

// Every text of a batch climbs as far as chance says.
SimulatedWorkers::Takes by_chance(Random& random, const CostLevels& levels) {
  return [&](Batch& batch) {
    if (!batch.choice.ladder) return testing::flat_batch_ms(batch);
    const std::vector<double>& reached = three_rungs().levels[*batch.choice.ladder].reached;
    double taken = 0;
    for (const WaitingText& text : batch.texts) {
      const double luck = random.uniform();
      size_t rungs = 1;
      while (rungs < reached.size() && luck < reached[rungs]) ++rungs;
      taken += levels.climbed_ms(rungs, text.tokens);
    }
    batch.climbed_ms = taken;
    return taken;
  };
}

struct LadderOutcome {
  int64_t sent = 0;
  int64_t late = 0;
  int64_t refused = 0;
  std::set<size_t> thresholds;
};

// Automatic texts of 40 tokens at random, `overload` times what two workers can do at budget 1.
LadderOutcome climb_under(double overload, double duration_ms) {
  const CostLevels levels(testing::linear_table(), 0.125, 1, 1000, &three_rungs(), bag_token_ms);
  Schedule schedule({levels}, two_workers());
  Random random{1};
  LadderOutcome outcome;
  SimulatedWorkers workers(
      schedule, 2,
      [&](const Batch& batch, double now) {
        outcome.thresholds.insert(*batch.choice.ladder);
        for (const WaitingText& text : batch.texts) outcome.late += now > text.deadline_ms ? 1 : 0;
      },
      by_chance(random, levels));
  for (double now = 0; now < duration_ms; now -= std::log(1 - random.uniform()) * 2 / overload) {
    workers.run_until(now);
    WaitingText text = text_of(40, now, allowed);
    text.automatic = true;
    ++outcome.sent;
    if (schedule.offer(0, one(std::move(text)), now).refused) ++outcome.refused;
  }
  workers.run_until(duration_ms + 1000);
  outcome.refused += workers.expired();
  return outcome;
}

TEST(Schedule, ALadderGivesWayDownToItsFirstRungBeforeAnythingIsRefused) {
  EXPECT_EQ(climb_under(1, 5000).thresholds, std::set<size_t>{3}) << "the promise";
  for (const double overload : {5.0, 15.0, 50.0, 150.0}) {
    const LadderOutcome outcome = climb_under(overload, 2000);
    EXPECT_EQ(outcome.refused, 0) << overload;
    EXPECT_EQ(outcome.late, 0) << overload;
  }
  EXPECT_TRUE(climb_under(150, 2000).thresholds.contains(0));
}

TEST(Schedule, WhatEvenTheFirstRungCannotDoIsRefusedInsteadOfLate) {
  const LadderOutcome outcome = climb_under(400, 500);  // twice what the bag can do
  EXPECT_EQ(outcome.late, 0);
  EXPECT_NEAR(static_cast<double>(outcome.refused), 0.5 * static_cast<double>(outcome.sent),
              0.1 * static_cast<double>(outcome.sent));
}

TEST(Schedule, RetryAfterIsTheTimeThatTheQueueNeedsAtTheLeastBudget) {
  Schedule schedule = schedule_of(1, two_workers());
  const WaitingText just_in_time = exact_text(1000, 1, 0, 200);
  ASSERT_FALSE(schedule.offer(0, {just_in_time, just_in_time}, 0).refused);
  const Admission admission = schedule.offer(0, one(text_of(40, 0, allowed)), 0);
  ASSERT_TRUE(admission.refused);
  EXPECT_EQ(admission.refused->why, Refusal::overloaded);
  EXPECT_DOUBLE_EQ(admission.refused->retry_after_seconds, 0.1);  // 200 ms of work, two workers
  EXPECT_EQ(schedule.waiting(0), 2) << "a refused text leaves nothing behind";
}

TEST(Schedule, SaysWhatOfACallsTimeHadPassed) {
  Schedule schedule = schedule_of(1, two_workers());
  const auto refused_after = [&](double waited) {
    return schedule.offer(0, one(text_of(8, 0, allowed)), waited).refused.value();
  };
  EXPECT_EQ(refused_after(17).why, Refusal::overloaded);
  EXPECT_EQ(refused_after(17).message,
            "the answer would take about 0.1 ms more, even at the least budget; of the 20 ms until "
            "its deadline 17.0 have passed and 5 are kept in reserve");
  EXPECT_EQ(refused_after(25).why, Refusal::deadline_passed);
  EXPECT_EQ(refused_after(25).message,
            "the deadline of 20 ms passed before the request was read and planned, which took 25.0 "
            "ms");
}

TEST(Schedule, SaysWhenACallWouldMakeOthersLate) {
  Schedule schedule = schedule_of(1, two_workers());
  const WaitingText just_in_time = exact_text(70, 1, 0, 10);
  ASSERT_FALSE(schedule.offer(0, one(from("a", just_in_time)), 0).refused);
  const Admission admission = schedule.offer(0, one(from("a", exact_text(12, 1, 0, 9))), 0);
  ASSERT_TRUE(admission.refused);
  EXPECT_NE(admission.refused->message.find("would make others late"), std::string::npos)
      << admission.refused->message;
}

WaitingText with(Priority priority, WaitingText text) {
  text.priority = priority;
  return text;
}

TEST(Schedule, AHigherClassRunsFirstWhateverTheDeadlines) {
  ScheduleSettings settings = two_workers();
  settings.max_batch_tokens = 1;  // a text a batch
  Schedule schedule = schedule_of(1, settings);
  for (const Priority priority : {Priority::low, Priority::normal, Priority::high}) {
    const double deadline = priority == Priority::low ? 100 : 1000;
    schedule.offer(0, one(with(priority, exact_text(8, 1, 0, deadline))), 0);
  }
  std::vector<Priority> ran;
  while (const auto batch = schedule.take(0)) ran.push_back(batch->texts.front().priority);
  EXPECT_EQ(ran, (std::vector{Priority::high, Priority::normal, Priority::low}));
}

TEST(Schedule, AHigherClassMayMakeALowerOneLateButNotTheOtherWayRound) {
  const auto second_is_refused = [](Priority first, Priority second) {
    Schedule schedule = schedule_of(1, two_workers());
    const WaitingText just_in_time = exact_text(70, 1, 0, 10);
    EXPECT_FALSE(schedule.offer(0, one(from("a", with(first, just_in_time))), 0).refused);
    // Goes first by its deadline, or by its class. Of the same client: one that had less of the
    // workers may delay another's.
    const WaitingText hurried = exact_text(12, 1, 0, 9);
    return schedule.offer(0, one(from("a", with(second, hurried))), 0).refused.has_value();
  };
  EXPECT_TRUE(second_is_refused(Priority::normal, Priority::normal));
  EXPECT_FALSE(second_is_refused(Priority::low, Priority::normal));
  EXPECT_FALSE(second_is_refused(Priority::high, Priority::normal)) << "it goes behind";
}

TEST(Schedule, AFullQueueMakesRoomForAHigherClass) {
  ScheduleSettings settings = two_workers();
  settings.queue_limit = 2;
  Schedule schedule = schedule_of(1, settings);
  const auto hurried = [](Priority priority) { return with(priority, exact_text(1, 1, 0, 100)); };
  ASSERT_FALSE(schedule.offer(0, {hurried(Priority::low), hurried(Priority::low)}, 0).refused);
  EXPECT_TRUE(schedule.offer(0, one(with(Priority::low, exact_text(1, 1, 0, 200))), 0).refused);
  const WaitingText patient = with(Priority::high, exact_text(1, 1, 0, 1000));
  const Admission admission = schedule.offer(0, one(patient), 0);
  EXPECT_FALSE(admission.refused);
  ASSERT_EQ(admission.displaced.size(), 1U);
  EXPECT_EQ(admission.displaced[0].priority, Priority::low);
}

TEST(Schedule, AHigherClassOfOneModelGoesBeforeALowerOneOfAnother) {
  Schedule schedule = schedule_of(2, two_workers());
  schedule.offer(0, one(with(Priority::low, exact_text(8, 1, 0))), 0);
  schedule.offer(1, one(exact_text(80, 1, 0)), 0);
  schedule.offer(1, one(exact_text(80, 1, 0)), 0);
  std::vector<size_t> models;
  while (const auto batch = schedule.take(0)) models.push_back(batch->model);
  EXPECT_EQ(models, (std::vector<size_t>{1, 1, 0})) << "though model 0 has used nothing";
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

TEST(Schedule, ATextThatMayClimbToTheTopIsNotKeptWaitingForByOthers) {
  const CostLevels levels(testing::linear_table(), 0.125, 1, 1000, &three_rungs(), bag_token_ms);
  Schedule schedule({levels}, {1, 512, 2048, {}});
  WaitingText text = text_of(20, 0, 100);  // 0.6 ms on average, 2 ms for one in five
  text.automatic = true;
  schedule.offer(0, std::vector<WaitingText>(4, text), 0);
  EXPECT_EQ(schedule.take(0)->texts.size(), 1U);
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

TEST(Schedule, TheEarliestDeadlineRunsFirst) {
  Schedule schedule = schedule_of(1, {1, 512, 1, {}});  // a text a batch
  for (const double wait : {300.0, 100.0, 200.0}) {
    ASSERT_FALSE(schedule.offer(0, one(text_of(40, 0, wait)), 0).refused);
  }
  ASSERT_FALSE(schedule.offer(0, one(exact_text(40, 1, 0)), 0).refused) << "no deadline at all";
  std::vector<double> order;
  while (const std::optional<Batch> batch = schedule.take(0)) {
    order.push_back(batch->texts.front().deadline_ms);
    schedule.finished(*batch, 0);
  }
  EXPECT_EQ(order, (std::vector<double>{100, 200, 300, std::numeric_limits<double>::infinity()}));
}

TEST(Schedule, ACallThatWouldMakeAnAcceptedOneLateIsRefused) {
  Schedule schedule = schedule_of(1, {1, 512, 2048, {}});
  ASSERT_FALSE(schedule.offer(0, one(exact_text(100, 1, 0, 20)), 0).refused) << "10 of 15 ms";
  const Admission admission = schedule.offer(0, one(exact_text(60, 1, 0, 10)), 0);
  ASSERT_TRUE(admission.refused) << "6 ms that would come first";
  EXPECT_EQ(admission.refused->why, Refusal::overloaded);
  EXPECT_EQ(schedule.take(0)->texts.front().tokens, 100) << "what was accepted is untouched";
}

TEST(Schedule, DeadlinesBeyondTheServersAreTakenForIt) {
  ScheduleSettings settings = two_workers();
  settings.max_deadline_ms = 100;
  Schedule schedule = schedule_of(1, settings);
  schedule.offer(0, one(text_of(40, 0, 600'000)), 0);
  EXPECT_EQ(schedule.take(0)->texts.front().deadline_ms, 100);
}

TEST(Schedule, ADeadlineThatNoIdleServerMeetsIsToldFromOverload) {
  Schedule schedule = schedule_of(1, two_workers());
  const Admission impossible = schedule.offer(0, one(text_of(1000, 0, 10)), 0);  // 12.5 ms at least
  ASSERT_TRUE(impossible.refused);
  EXPECT_EQ(impossible.refused->why, Refusal::deadline_unreachable);
  schedule.offer(0, std::vector<WaitingText>(8, exact_text(100, 1, 0, 60)), 0);
  const Admission overloaded = schedule.offer(0, one(text_of(1000, 0, 20)), 0);
  ASSERT_TRUE(overloaded.refused);
  EXPECT_EQ(overloaded.refused->why, Refusal::overloaded);
  EXPECT_GT(overloaded.refused->retry_after_seconds, 0);
}

TEST(Schedule, TextsPastTheirDeadlineDoNotRun) {
  Schedule schedule = schedule_of(1, two_workers());
  schedule.offer(0, {text_of(40, 0, 20), exact_text(40, 1, 0)}, 0);
  schedule.offer(0, one(text_of(40, 0, 30)), 0);
  EXPECT_TRUE(schedule.drop_expired(19).empty());
  const std::vector<WaitingText> expired = schedule.drop_expired(20);
  ASSERT_EQ(expired.size(), 1U);
  EXPECT_EQ(expired[0].deadline_ms, 20);
  EXPECT_EQ(schedule.waiting(0), 2);
}

// A client that sends `honest_gap` ms apart within 20 ms, while another sends `hog` every 5 ms.
struct Neighbours {
  int64_t honest_sent = 0;
  int64_t honest_in_time = 0;
  double honest_budgets = 0;
  int64_t hog_answered = 0;
};

Neighbours beside(const std::function<WaitingText(double now)>& hog, double honest_gap,
                  double duration_ms) {
  Schedule schedule = schedule_of(1, two_workers());
  Neighbours result;
  SimulatedWorkers workers(schedule, 2, [&](const Batch& batch, double now) {
    for (const WaitingText& text : batch.texts) {
      if (text.client == "hog") {
        ++result.hog_answered;
      } else if (now <= text.deadline_ms) {
        ++result.honest_in_time;
        result.honest_budgets += batch.choice.budget;
      }
    }
  });
  double next_hog = 0;
  for (double now = 0; now < duration_ms; now += honest_gap) {
    for (; next_hog <= now; next_hog += 5) {
      workers.run_until(next_hog);
      schedule.offer(0, one(from("hog", hog(next_hog))), next_hog);
    }
    workers.run_until(now);
    ++result.honest_sent;
    schedule.offer(0, one(from("honest", text_of(40, now, allowed))), now);
  }
  workers.run_until(duration_ms + 20'000);
  return result;
}

// Half of what two workers do at budget 1: texts of 4 ms, one every 4 ms.
constexpr double half_capacity_gap = 4;

TEST(Schedule, APatientClientDoesNotStarveTheOthers) {
  for (const int64_t tokens : {40, 70, 120}) {  // 0.8, 1.4 and 2.4 workers
    const Neighbours result = beside(
        [&](double now) { return exact_text(tokens, 1, now, 600'000); }, half_capacity_gap, 20'000);
    EXPECT_GE(result.honest_in_time, 0.99 * static_cast<double>(result.honest_sent)) << tokens;
    EXPECT_GT(result.hog_answered, 0) << "it gets what the other leaves";
  }
}

TEST(Schedule, AHurriedClientWithItsOwnBudgetDoesNotStarveTheOthers) {
  const Neighbours result =
      beside([&](double now) { return exact_text(40, 1, now, 10); }, half_capacity_gap, 10'000);
  EXPECT_GE(result.honest_in_time, 0.99 * static_cast<double>(result.honest_sent));
}

TEST(Schedule, WhoTakesMoreThanItsShareLowersNobodysBudget) {
  const Neighbours result =
      beside([&](double now) { return exact_text(100, 1, now); }, 2 * half_capacity_gap, 20'000);
  EXPECT_GT(result.honest_budgets / static_cast<double>(result.honest_in_time), 0.9);
}

TEST(Schedule, AQueueThatOneClientFilledHasRoomForAnother) {
  ScheduleSettings settings = two_workers();
  settings.queue_limit = 4;
  Schedule schedule = schedule_of(1, settings);
  const auto ask = [&](const std::string& client) {
    return schedule.offer(0, one(from(client, exact_text(10, 1, 0))), 0).refused.has_value();
  };
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(ask("hog"));
  EXPECT_TRUE(ask("hog"));
  EXPECT_FALSE(ask("other"));
  EXPECT_FALSE(ask("other"));
  EXPECT_TRUE(ask("other")) << "half of the queue is its part";
  EXPECT_FALSE(ask("third"));
}

TEST(Schedule, InAFullQueueHurriedTextsTakeThePlacesOfPatientOnes) {
  ScheduleSettings settings = two_workers();
  settings.queue_limit = 2;
  Schedule schedule = schedule_of(1, settings);
  for (const double wait : {500.0, 400.0}) {
    ASSERT_FALSE(schedule.offer(0, one(text_of(40, 0, wait)), 0).refused);
  }
  const Admission hurried = schedule.offer(0, one(text_of(40, 0, allowed)), 0);
  EXPECT_FALSE(hurried.refused);
  ASSERT_EQ(hurried.displaced.size(), 1U);
  EXPECT_EQ(hurried.displaced[0].deadline_ms, 500);
  const Admission patient = schedule.offer(0, one(text_of(40, 0, 450)), 0);
  ASSERT_TRUE(patient.refused);
  EXPECT_EQ(patient.refused->why, Refusal::queue_full);
  EXPECT_EQ(schedule.waiting(0), 2);
}

TEST(Schedule, ACallThatIsRefusedAfterAllDisplacesNothing) {
  ScheduleSettings settings = two_workers();
  settings.queue_limit = 2;
  Schedule schedule = schedule_of(1, settings);
  schedule.offer(0, one(exact_text(1000, 1, 0)), 0);
  ASSERT_TRUE(schedule.take(0)) << "100 ms of one worker";
  ASSERT_FALSE(schedule.offer(0, std::vector(2, exact_text(1000, 1, 0, 300)), 0).refused);
  const Admission admission = schedule.offer(0, one(exact_text(1000, 1, 0, 150)), 0);
  ASSERT_TRUE(admission.refused);
  EXPECT_EQ(admission.refused->why, Refusal::overloaded);
  EXPECT_TRUE(admission.displaced.empty());
  EXPECT_EQ(schedule.waiting(0), 2);
}

}  // namespace
}  // namespace headroom::server
