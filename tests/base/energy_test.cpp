#include "base/measure/energy.h"

#include <gtest/gtest.h>

#include "support.h"

namespace headroom {
namespace {
using testing::TemporaryFolder;

// As Linux lays its counters out: two packages, and a part of the first.
struct Counters : TemporaryFolder {
  Counters() {
    set("intel-rapl:0", 1'000'000);
    set("intel-rapl:1", 5'000'000);
    set("intel-rapl:0:0", 700'000);
    write("intel-rapl:0/max_energy_range_uj", "10000000\n");
  }
  void set(const std::string& name, int64_t microjoules) {
    std::filesystem::create_directories(path() / name);
    write(name + "/energy_uj", std::to_string(microjoules) + "\n");
  }
};

TEST(EnergyMeter, AddsUpPackagesSinceItsStart) {
  Counters counters;
  EnergyMeter meter(counters.path());
  ASSERT_TRUE(meter.readable());
  counters.set("intel-rapl:0", 2'000'000);
  meter.start();
  counters.set("intel-rapl:0", 3'500'000);
  counters.set("intel-rapl:1", 5'250'000);
  counters.set("intel-rapl:0:0", 9'000'000);
  EXPECT_DOUBLE_EQ(meter.joules(), 1.75) << "its parts are in the package already";
}

TEST(EnergyMeter, FollowsACounterThatBeganAnew) {
  Counters counters;
  EnergyMeter meter(counters.path());
  counters.set("intel-rapl:0", 250'000);
  EXPECT_DOUBLE_EQ(meter.joules(), 9.25);
}

TEST(EnergyMeter, HasNothingToReadOnMostVirtualMachines) {
  const TemporaryFolder empty;
  EXPECT_FALSE(EnergyMeter(empty.path()).readable());
  EXPECT_FALSE(EnergyMeter(empty.path() / "none").readable());
}

}  // namespace
}  // namespace headroom
