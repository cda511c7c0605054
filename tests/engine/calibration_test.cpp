// What a calibration measures; the times themselves are the machine's.
#include "engine/answers/calibration.h"

#include <gtest/gtest.h>

#include "engine/random_model.h"

namespace headroom {
namespace {

using testing::expect_error;
using testing::RandomCheckpoint;

std::shared_ptr<const EngineModel> small_model() {
  return EngineModel::load(RandomCheckpoint(testing::small_shape()).path());
}

CalibrationSettings quick() {
  CalibrationSettings settings;
  settings.budgets = {0.5, 1};
  settings.rounds = 3;
  settings.warmup = 0;
  return settings;
}

TEST(Calibration, MeasuresEveryBudgetAtEveryLength) {
  SilentProgress silent;
  const LatencyTable table = calibrate(small_model(), quick(), silent);
  EXPECT_EQ(table.budgets(), (std::vector{0.5, 1.0}));
  EXPECT_EQ(table.lengths(), (std::vector<int64_t>{8, 12}));
  EXPECT_EQ(table.precision, "fp32");
  EXPECT_EQ(table.threads, 1);
  EXPECT_EQ(to_json(latency_table_from_json(to_json(table))), to_json(table));
}

TEST(Calibration, LengthsGrowByHalfUpToTheLongest) {
  EXPECT_EQ(calibration_lengths(128), (std::vector<int64_t>{8, 16, 24, 32, 48, 72, 104, 128}));
  EXPECT_EQ(calibration_lengths(5), std::vector<int64_t>{5});
}

TEST(Calibration, ALengthTheModelDoesNotReadIsAnError) {
  SilentProgress silent;
  CalibrationSettings settings = quick();
  settings.lengths = {13};
  expect_error(ErrorCode::usage, "13", [&] { calibrate(small_model(), settings, silent); });
}

}  // namespace
}  // namespace headroom
