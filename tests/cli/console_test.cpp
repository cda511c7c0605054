#include "cli/console.h"

#include <gtest/gtest.h>

namespace headroom {
namespace {

ProgressUpdate steps(int64_t done, int64_t total) {
  ProgressUpdate update;
  update.stage = "soft";
  update.done = done;
  update.total = total;
  update.unit = "steps";
  return update;
}

TEST(ProgressLine, ShowsTheShareTheRateAndTheTimeLeft) {
  EXPECT_EQ(progress_line(steps(50, 100), 0, 10),
            "soft     [############------------]  50/100 steps  5.0 steps/s  ETA 0:10");
}

TEST(ProgressLine, RateIsInTheScaledUnit) {
  ProgressUpdate update = steps(10, 100);
  update.units_scale = 32;
  update.scaled_unit = "samples";
  EXPECT_EQ(progress_line(update, 0, 10),
            "soft     [##----------------------]  10/100 steps  32 samples/s  ETA 1:30");
}

TEST(ProgressLine, StepsOfAnEarlierRunDoNotCountAsSpeed) {
  EXPECT_EQ(progress_line(steps(90, 100), 80, 10),
            "soft     [#####################---]  90/100 steps  1.0 steps/s  ETA 0:10");
}

TEST(ProgressLine, NothingDoneYetHasNoRate) {
  EXPECT_EQ(progress_line(steps(0, 100), 0, 10),
            "soft     [------------------------]  0/100 steps");
  EXPECT_EQ(progress_line(steps(5, 100), 0, 0), "soft     [#-----------------------]  5/100 steps");
}

TEST(ProgressLine, TheEndHasNoTimeLeftAndAFullBar) {
  EXPECT_EQ(progress_line(steps(100, 100), 0, 10),
            "soft     [########################]  100/100 steps  10 steps/s");
}

TEST(ProgressLine, MoreThanTheTotalStaysInTheBar) {
  EXPECT_EQ(progress_line(steps(300, 100), 0, 10),
            "soft     [########################]  300/100 steps  30 steps/s");
}

TEST(ProgressLine, AnUnknownTotalHasNoBar) {
  EXPECT_EQ(progress_line(steps(40, 0), 0, 10), "soft     40 steps  4.0 steps/s");
}

TEST(ProgressLine, HoursAreShownAsHours) {
  EXPECT_TRUE(progress_line(steps(1, 3726), 0, 1).ends_with("ETA 1:02:05"));
}

TEST(ProgressLine, DetailComesLast) {
  ProgressUpdate update = steps(50, 100);
  update.detail = "loss 0.412";
  EXPECT_TRUE(progress_line(update, 0, 10).ends_with("ETA 0:10  loss 0.412"));
}

}  // namespace
}  // namespace headroom
