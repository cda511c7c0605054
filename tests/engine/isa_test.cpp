#include "engine/kernels/isa.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "support.h"

namespace headroom {
namespace {

using testing::expect_error;

class IsaChoice : public ::testing::Test {
 protected:
  ~IsaChoice() override { unsetenv("HEADROOM_ISA"); }
};

TEST_F(IsaChoice, IsTheBestOneUnlessAnotherIsNamed) {
  unsetenv("HEADROOM_ISA");
  EXPECT_EQ(chosen_isa(), usable_isas().back());
  setenv("HEADROOM_ISA", "portable", 1);
  EXPECT_EQ(chosen_isa(), Isa::portable);
}

TEST_F(IsaChoice, AnUnknownNameIsRefused) {
  setenv("HEADROOM_ISA", "mmx", 1);
  expect_error(ErrorCode::usage, "portable, avx2, avx512", [] { chosen_isa(); });
}

TEST_F(IsaChoice, OneThatTheCpuLacksIsRefused) {
  if (usable_isas().back() == Isa::amx) GTEST_SKIP() << "this CPU has them all";
  setenv("HEADROOM_ISA", "amx", 1);
  expect_error(ErrorCode::usage, "does not run amx; its best is", [] { chosen_isa(); });
}

TEST_F(IsaChoice, NamesAreReadAsTheyAreWritten) {
  for (const Isa isa : usable_isas()) EXPECT_EQ(parse_isa(isa_name(isa)), isa);
}

}  // namespace
}  // namespace headroom
