#include "base/memory_allowance.h"

#include <gtest/gtest.h>

#include "base/measure/machine.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;

TEST(MemoryAllowance, WhatDoesNotFitIsRefusedWithTheLimit) {
  MemoryAllowance memory(3 << 20, "load data", "rows");
  EXPECT_TRUE(memory.take(2 << 20));
  EXPECT_TRUE(memory.take(1 << 20));
  EXPECT_FALSE(memory.take(1));
  expect_error(ErrorCode::runtime,
               "load data: line 3: the rows take more than 3.0 MiB (--max-memory)",
               [&] { memory.fail("line 3"); });
}

TEST(MemoryAllowance, WithoutALimitItIsNineTenthsOfWhatIsAvailable) {
  MemoryAllowance memory(0, "load data", "rows");
  EXPECT_TRUE(memory.take(1000));
  EXPECT_FALSE(memory.take(uint64_t{1} << 62));
  expect_error(ErrorCode::runtime, "nine tenths of the memory available",
               [&] { memory.fail("line 2"); });
}

TEST(MemoryAllowance, SizesAreShownWithTheirUnit) {
  EXPECT_EQ(shown_bytes(1023), "1023 bytes");
  EXPECT_EQ(shown_bytes(1536), "1.5 KiB");
  EXPECT_EQ(shown_bytes(uint64_t{3} << 30), "3.0 GiB");
}

TEST(Machine, HasMemoryLeft) {
  EXPECT_GT(available_memory_bytes(), 1 << 20);
}

}  // namespace
}  // namespace headroom
