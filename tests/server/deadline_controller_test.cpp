// Which budget the controller takes for a queue and a load, in simulated time.
#include "server/schedule/deadline_controller.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "server/simulated_time.h"

namespace headroom::server {
namespace {

using testing::exact_text;
using testing::linear_levels;
using testing::text_of;

using Queue = DeadlineController::Queue;

constexpr double allowed = 20;  // ms
const ControllerSettings settings;

DeadlineController controller() {
  static const CostLevels levels = linear_levels();
  return {levels, settings};
}

WorkAhead two_workers(double running_ms = 0) {
  return {2, running_ms, {}, 2};
}

double budget_for(const Queue& queue, const WorkAhead& ahead) {
  DeadlineController fresh = controller();
  return fresh.levels().budget(fresh.choose(0, queue, ahead).level);
}

// Texts of 100 tokens: 10 ms each at budget 1.
Queue texts(size_t count) {
  return Queue(count, text_of(100, 0, allowed));
}

TEST(DeadlineController, ALoneTextGetsTheFullBudget) {
  DeadlineController fresh = controller();
  const ControllerChoice choice = fresh.choose(0, texts(1), two_workers());
  EXPECT_EQ(choice.level, fresh.levels().top());
  EXPECT_EQ(choice.reason, BudgetReason::full);
}

TEST(DeadlineController, ALongerQueueGetsLess) {
  double before = 1;
  for (const size_t count : {2U, 4U, 8U, 16U}) {
    const double budget = budget_for(texts(count), two_workers());
    EXPECT_LE(budget, before) << count << " texts";
    before = budget;
  }
  EXPECT_LT(before, 0.25);
}

TEST(DeadlineController, WorkUnderWayCounts) {
  EXPECT_EQ(budget_for(texts(1), two_workers(0)), 1);
  EXPECT_LT(budget_for(texts(1), two_workers(20)), 1);
}

TEST(DeadlineController, WorkOfOtherModelsCountsAsFarAsTurnsGo) {
  WorkAhead shared = two_workers();
  const double alone = budget_for(texts(4), shared);
  shared.others_ms = {1000};  // far more than these four can be made to wait for
  const double beside_one = budget_for(texts(4), shared);
  shared.others_ms = {0.1};
  EXPECT_LT(beside_one, alone);
  EXPECT_GT(beside_one, 0.125) << "it has half the workers";
  EXPECT_GE(budget_for(texts(4), shared), beside_one);
}

TEST(DeadlineController, TheSearchFindsWhatTryingEveryBudgetFinds) {
  Random random{1};
  for (int trial = 0; trial < 500; ++trial) {
    Queue queue;
    const auto count = 1 + random.below(20);
    for (uint64_t i = 0; i < count; ++i) {
      const auto tokens = static_cast<int64_t>(1 + random.below(128));
      queue.push_back(random.below(5) == 0 ? exact_text(tokens, 0.5, 0)
                                           : text_of(tokens, 0, 20 + 60 * random.uniform()));
    }
    DeadlineController fresh = controller();
    const WorkAhead ahead = two_workers(10 * random.uniform());
    const auto meets_all = [&](size_t level) {
      for (size_t i = 0; i < queue.size(); ++i) {
        const double latest = queue[i].deadline_ms * (1 - settings.margin_share);
        if (fresh.finish_ms(0, queue, i, level, ahead) > latest) return false;
      }
      return true;
    };
    if (!meets_all(0)) continue;
    size_t largest = fresh.levels().top();
    while (!meets_all(largest)) --largest;
    EXPECT_EQ(fresh.choose(0, queue, ahead).level, largest) << "trial " << trial;
  }
}

TEST(DeadlineController, ATextThatIsLateAnywayDoesNotDragTheOthersDown) {
  Queue queue = texts(1);
  queue.push_front(text_of(10, -100, allowed));
  EXPECT_EQ(budget_for(queue, two_workers()), 1);
}

TEST(DeadlineController, ExactTextsWeighWhatTheyCost) {
  Queue queue = texts(1);
  queue.push_front(exact_text(1000, 0.125, 0));
  const double behind_little = budget_for(queue, two_workers());
  queue.push_front(exact_text(100, 1, 0));
  EXPECT_LT(budget_for(queue, two_workers()), behind_little);
}

TEST(DeadlineController, LearnsThatTheMachineIsSlowerThanItsTable) {
  DeadlineController slow = controller();
  for (int i = 0; i < 500; ++i) slow.finished(2, 3);
  EXPECT_NEAR(slow.correction(), 1.5, 0.01);
  EXPECT_NEAR(slow.work_ms(text_of(100, 0, allowed), slow.levels().top()), 15, 0.1);
}

TEST(DeadlineController, OneStallTeachesLittleAndNothingTeachesNonsense) {
  DeadlineController stalled = controller();
  stalled.finished(1, 1e6);
  EXPECT_LT(stalled.correction(), 1.1);
  for (int i = 0; i < 5000; ++i) stalled.finished(1, 1e6);
  EXPECT_LE(stalled.correction(), 100);
  for (int i = 0; i < 5000; ++i) stalled.finished(1, 0);
  EXPECT_GE(stalled.correction(), 0.5);
}

TEST(DeadlineController, AMachineFiftyTimesSlowerThanItsTableIsKnownAfterAHundredBatches) {
  DeadlineController slow = controller();
  for (int i = 0; i < 100; ++i) slow.finished(1, 50);
  EXPECT_GT(slow.correction(), 25);
  for (int i = 0; i < 200; ++i) slow.finished(1, 50);
  EXPECT_NEAR(slow.correction(), 50, 1);
}

TEST(DeadlineController, ShortBatchesTeachLessThanLongOnes) {
  DeadlineController short_batches = controller();
  for (int i = 0; i < 30; ++i) short_batches.finished(0.01, 0.05);  // a wake-up of 40 us
  EXPECT_LT(short_batches.correction(), 1.1);
  for (int i = 0; i < 50'000; ++i) short_batches.finished(0.01, 0.02);
  EXPECT_NEAR(short_batches.correction(), 2, 0.01) << "but enough of them do";
}

TEST(DeadlineController, TellingAnswersIsWorkToo) {
  DeadlineController busy = controller();
  const WaitingText text = text_of(100, 0, allowed);
  for (int i = 0; i < 500; ++i) busy.told(2, 0.05);
  EXPECT_NEAR(busy.work_ms(text, busy.levels().top()), 10.05, 1e-3);
  EXPECT_EQ(busy.correction(), 1) << "whatever the budget, so it is no factor";
  for (int i = 0; i < 500; ++i) busy.told(1, 1000);
  EXPECT_LE(busy.work_ms(text, busy.levels().top()), 10.5) << "a stall is not believed";
}

// Rungs 0.125 and 1, the second for one text in ten.
Policy one_in_ten() {
  Policy policy;
  policy.rungs = {{0.125, {}}, {1, {}}};
  policy.levels = {{{0}, {1, 0}, 0.8, {}, 0.125}, {{0.9}, {1, 0.1}, 1, {}, 0.225}};
  return policy;
}

TEST(DeadlineController, LearnsThatTextsClimbFurtherThanThoseOfTheTuning) {
  const Policy policy = one_in_ten();
  DeadlineController hard(CostLevels(testing::linear_table(), 0.125, 1, 1000, &policy), settings);
  const size_t top = hard.levels().top();
  WaitingText text = text_of(100, 0, allowed);
  text.automatic = true;
  EXPECT_DOUBLE_EQ(hard.work_ms(text, top), 1.25 + 0.1 * 10);
  const std::vector<WaitingText> batch(10, text);
  for (int i = 0; i < 50; ++i) hard.climbed(batch, top, 10 * 1.25 + 3 * 10);  // three in ten
  EXPECT_NEAR(hard.work_ms(text, top), 1.25 + 0.3 * 10, 0.3);
  EXPECT_DOUBLE_EQ(hard.work_ms(text, 0), 1.25) << "the first rung is always all of it";
}

TEST(DeadlineController, WhatWasLearntIsDoubtedWhileNothingRunsUntilABatchConfirmsIt) {
  DeadlineController slow = controller();
  for (int i = 0; i < 500; ++i) slow.finished(1, 50);
  slow.idled(60'000);
  EXPECT_NEAR(slow.correction(), 1 + 49 / std::exp(1.0), 0.1);
  DeadlineController fast_again = slow;
  slow.finished(1, 50);
  EXPECT_NEAR(slow.correction(), 50, 1);
  fast_again.finished(1, 1);
  EXPECT_LT(fast_again.correction(), 20);
}

// One text of 40 tokens, 4 ms at budget 1, every `gap` ms: what arrivals alone allow.
std::vector<double> budgets_under_load(DeadlineController& under, double gap, double from,
                                       double until) {
  std::vector<double> budgets;
  for (double now = from; now < until; now += gap) {
    const Queue queue = {text_of(40, now, allowed)};
    under.arrived(now, queue.front());
    budgets.push_back(under.levels().budget(under.choose(now, queue, two_workers()).level));
  }
  return budgets;
}

int changes(const std::vector<double>& budgets) {
  int count = 0;
  for (size_t i = 1; i < budgets.size(); ++i) count += budgets[i] != budgets[i - 1] ? 1 : 0;
  return count;
}

constexpr double capacity_gap = 2;  // two workers, 4 ms

TEST(DeadlineController, AConstantOverloadSettlesAtOneBudget) {
  for (const double overload : {1.2, 1.5, 2.0, 3.0}) {
    DeadlineController under = controller();
    const double gap = capacity_gap / overload;
    budgets_under_load(under, gap, 0, 5000);
    const std::vector<double> budgets = budgets_under_load(under, gap, 5000, 65000);
    EXPECT_EQ(changes(budgets), 0) << overload;
    EXPECT_LE(budgets.front() * overload, settings.busy_target) << "the workers keep up";
    EXPECT_GE(budgets.front() * overload, 0.8) << "and are not left idle";
  }
}

TEST(DeadlineController, WhatTheWorkersManageIsNotLowered) {
  DeadlineController under = controller();
  const std::vector<double> budgets = budgets_under_load(under, capacity_gap / 0.8, 0, 10000);
  EXPECT_EQ(changes(budgets), 0);
  EXPECT_EQ(budgets.front(), 1);
}

TEST(DeadlineController, ComesBackStepByStepWhenTheLoadFalls) {
  DeadlineController under = controller();
  const double low = budgets_under_load(under, capacity_gap / 3, 0, 5000).back();
  const std::vector<double> after = budgets_under_load(under, capacity_gap / 0.5, 5000, 15000);
  EXPECT_LT(low, 0.4);
  EXPECT_EQ(after.back(), 1);
  EXPECT_TRUE(std::is_sorted(after.begin(), after.end())) << "up, and never down again";
  EXPECT_LE(changes(after), static_cast<int>(under.levels().count()));
}

TEST(DeadlineController, AfterAPauseTheFirstTextGetsTheFullBudget) {
  DeadlineController under = controller();
  EXPECT_LT(budgets_under_load(under, capacity_gap / 3, 0, 5000).back(), 0.4);
  EXPECT_EQ(budgets_under_load(under, 1, 60000, 60001).front(), 1);
}

}  // namespace
}  // namespace headroom::server
