#include "engine/kernels/isa.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "support.h"

namespace headroom {
namespace {

using testing::expect_error;

#if defined(__aarch64__)
constexpr const char* known_names = "portable, neon, neon_dotprod";
constexpr Isa last_isa = Isa::neon_bf16;
#else
constexpr const char* known_names = "portable, avx2, avx512";
constexpr Isa last_isa = Isa::amx;
#endif

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
  expect_error(ErrorCode::usage, known_names, [] { chosen_isa(); });
}

TEST_F(IsaChoice, OneThatTheCpuLacksIsRefused) {
  if (usable_isas().back() == last_isa) GTEST_SKIP() << "this CPU has them all";
  const std::string name(isa_name(last_isa));
  setenv("HEADROOM_ISA", name.c_str(), 1);
  expect_error(ErrorCode::usage, "does not run " + name + "; its best is", [] { chosen_isa(); });
}

TEST_F(IsaChoice, NamesAreReadAsTheyAreWritten) {
  for (const Isa isa : usable_isas()) EXPECT_EQ(parse_isa(isa_name(isa)), isa);
}

}  // namespace
}  // namespace headroom
