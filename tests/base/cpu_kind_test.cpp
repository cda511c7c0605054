#include "base/measure/cpu_kind.h"

#include <gtest/gtest.h>

#include <sstream>

namespace headroom {
namespace {

std::string kind_in(const char* cpuinfo) {
  std::istringstream stream(cpuinfo);
  return cpu_kind_in(stream);
}

TEST(CpuKind, IsFamilyModelAndWhatOurKernelsUse) {
  EXPECT_EQ(kind_in("processor\t: 0\n"
                    "cpu family\t: 6\n"
                    "model\t\t: 143\n"
                    "model name\t: Intel(R) Xeon(R) Processor\n"
                    "flags\t\t: fpu avx2 avx512f amx_int8 amx_tile\n"
                    "\n"
                    "processor\t: 1\n"
                    "model\t\t: 1\n"),
            "family 6, model 143: amx_int8 amx_tile avx2 avx512f");
}

TEST(CpuKind, OfArmIsItsPart) {
  EXPECT_EQ(kind_in("Features\t: fp asimd asimddp crc32\n"
                    "CPU implementer\t: 0x41\nCPU part\t: 0xd0c\n"),
            "maker 0x41, part 0xd0c: asimd asimddp");
}

TEST(CpuKind, IsEmptyWhereNobodySays) {
  EXPECT_EQ(kind_in(""), "");
}

TEST(CpuKind, NotStoredIsAnyOfTheName) {
  EXPECT_TRUE(same_cpu_kind("", "family 6"));
  EXPECT_TRUE(same_cpu_kind("family 6", "family 6"));
  EXPECT_FALSE(same_cpu_kind("family 6", "family 25"));
}

}  // namespace
}  // namespace headroom
