#include "checkpoint/latency_file.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

LatencyTable table_of(const std::string& machine, const std::string& precision, double ms) {
  return {machine, precision, 1, "2026-01-02", {{1.0, 8, ms, ms}}};
}

TEST(LatencyFile, IsNotThereUntilSomethingIsStored) {
  const TemporaryFolder folder;
  EXPECT_EQ(find_latency_table(folder.path(), "a CPU", "fp32", 1), std::nullopt);
}

TEST(LatencyFile, KeepsATablePerMachinePrecisionAndThreads) {
  const TemporaryFolder folder;
  store_latency_table(folder.path(), table_of("a CPU", "fp32", 1));
  store_latency_table(folder.path(), table_of("a CPU", "bf16", 2));
  store_latency_table(folder.path(), table_of("another CPU", "fp32", 3));
  EXPECT_EQ(find_latency_table(folder.path(), "a CPU", "bf16", 1)->cells[0].median_ms, 2);
  EXPECT_EQ(find_latency_table(folder.path(), "another CPU", "fp32", 1)->cells[0].median_ms, 3);
  EXPECT_EQ(find_latency_table(folder.path(), "a CPU", "fp32", 2), std::nullopt);
}

TEST(LatencyFile, CalibratingAgainReplacesTheOldTable) {
  const TemporaryFolder folder;
  store_latency_table(folder.path(), table_of("a CPU", "fp32", 1));
  store_latency_table(folder.path(), table_of("a CPU", "fp32", 5));
  EXPECT_EQ(find_latency_table(folder.path(), "a CPU", "fp32", 1)->cells[0].median_ms, 5);
}

TEST(LatencyFile, CpusOfOneNameAreToldApart) {
  const TemporaryFolder folder;
  store_latency_table(folder.path(), table_of("a CPU", "fp32", 1), "Zen 4");
  store_latency_table(folder.path(), table_of("a CPU", "fp32", 2), "Zen 5");
  const auto found = [&](const char* kind) {
    return find_latency_table(folder.path(), "a CPU", "fp32", 1, kind);
  };
  EXPECT_EQ(found("Zen 4")->cells[0].median_ms, 1);
  EXPECT_EQ(found("Zen 5")->cells[0].median_ms, 2);
  EXPECT_EQ(found("Zen 6"), std::nullopt);
}

TEST(LatencyFile, AnOldTableIsForAnyCpuOfItsNameUntilOneIsMeasured) {
  const TemporaryFolder folder;
  store_latency_table(folder.path(), table_of("a CPU", "fp32", 1), "");
  EXPECT_TRUE(find_latency_table(folder.path(), "a CPU", "fp32", 1, "Zen 4"));
  store_latency_table(folder.path(), table_of("a CPU", "fp32", 2), "Zen 4");
  EXPECT_EQ(read_latency_tables(folder.path()).size(), 1U);
}

TEST(LatencyFile, ADamagedFileIsABadModelAndIsNotOverwritten) {
  const TemporaryFolder folder;
  folder.write("latency.json", "{\"tables\": [{}]}");
  expect_error(ErrorCode::bad_model, "machine",
               [&] { find_latency_table(folder.path(), "a CPU", "fp32", 1); });
  expect_error(ErrorCode::bad_model, "machine",
               [&] { store_latency_table(folder.path(), table_of("a CPU", "fp32", 1)); });
}

}  // namespace
}  // namespace headroom
