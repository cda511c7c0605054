// Where a served model's latency table comes from.
#include "server/service/served_model.h"

#include <gtest/gtest.h>

#include "base/machine.h"
#include "checkpoint/latency_file.h"
#include "server/test_service.h"

namespace headroom {
namespace {

using testing::letters_checkpoint;
using testing::RandomCheckpoint;

ServedModel load(const RandomCheckpoint& checkpoint) {
  SilentProgress silent;
  return load_served_model("letters", checkpoint.path(), {Precision::fp32}, silent);
}

TEST(ServedModel, WithoutATableOneIsMeasuredAndNotStored) {
  const ServedModel model = load(letters_checkpoint());
  EXPECT_TRUE(model.calibrated_at_start);
  EXPECT_EQ(model.table.budgets().back(), 1);
  EXPECT_EQ(model.table.lengths().back(), 12) << "the longest that it reads";
  EXPECT_FALSE(std::filesystem::exists(letters_checkpoint().path() / "latency.json"));
}

TEST(ServedModel, TheTableOfThisMachineIsTaken) {
  const RandomCheckpoint checkpoint(letters_checkpoint().config().shape);
  LatencyTable table = testing::linear_table();
  table.machine = cpu_name();
  store_latency_table(checkpoint.path(), table);
  const ServedModel model = load(checkpoint);
  EXPECT_FALSE(model.calibrated_at_start);
  EXPECT_EQ(to_json(model.table), to_json(table));
}

TEST(ServedModel, ItsRunnerIsTheEngine) {
  const ServedModel model = load(letters_checkpoint());
  const Tokens input = tokenise(*model.engine, {"a b"});
  Worker worker(model.engine);
  EXPECT_EQ(model.make_runner()(std::span(&input, 1), 0.5).at(0).scores,
            worker.classify(std::span(&input, 1), 0.5).at(0).scores);
}

}  // namespace
}  // namespace headroom
