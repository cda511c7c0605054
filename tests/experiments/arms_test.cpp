#include "experiments/summary/arms.h"

#include <gtest/gtest.h>

namespace headroom::experiments {
namespace {

constexpr Arm arms[] = {{"dense", "Dense", /*only_full=*/true}, {"ours", "Ours"}, {"other", "O"}};

Record run_of(double ours, double other) {
  Record run;
  run.arm("dense").points = {{.budget = 1.0, .accuracy = 0.9}};
  run.arm("ours").points = {{.budget = 0.5, .accuracy = ours}};
  run.arm("other").points = {{.budget = 0.5, .accuracy = other}};
  return run;
}

TEST(Arms, DifferencesArePairedBySeed) {
  const auto rows = paired_differences({run_of(0.8, 0.7), run_of(0.6, 0.5)}, "ours", arms, {0.5});
  ASSERT_EQ(rows.size(), 2U) << "not with itself";
  EXPECT_NEAR(rows[0].at[0].mean, -0.2, 1e-12) << "dense at its budget 1";
  EXPECT_NEAR(rows[1].at[0].mean, 0.1, 1e-12);
  EXPECT_NEAR(rows[1].at[0].half_width, 0, 1e-12) << "equal in both seeds";
}

TEST(Arms, CellsShowAnIntervalOnlyWhereThereIsOne) {
  EXPECT_EQ(percent_cell(estimate({})), "-");
  EXPECT_EQ(percent_cell(estimate({0.5})), "50.00");
  EXPECT_EQ(percent_cell(estimate({0.5, 0.5})), "50.00 ± 0.00");
  EXPECT_EQ(difference_cell(estimate({0.01})), "+1.00");
  EXPECT_EQ(difference_cell(estimate({-0.01, -0.01})), "-1.00 ± 0.00");
}

TEST(Arms, ATableHasARowPerArmWithAnyValue) {
  Record run = run_of(0.8, 0.7);
  run.arms.pop_back();
  const Table table = arm_table("arm", {0.5, 1.0}, accuracies({run}, arms, {0.5, 1.0}));
  EXPECT_EQ(
      markdown(table),
      "| arm | 0.5 | 1 |\n| --- | ---: | ---: |\n| Dense | - | 90.00 |\n| Ours | 80.00 | - |\n");
  EXPECT_EQ(missing_arms({run}, arms), std::vector<std::string>{"O"});
}

}  // namespace
}  // namespace headroom::experiments
