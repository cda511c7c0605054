#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "engine/arena.h"

namespace headroom {
namespace {

constexpr size_t small = 1000;
constexpr size_t large = (size_t{5} << 20) + 1;  // not whole pages

bool starts_at(const void* data, size_t alignment) {
  return reinterpret_cast<uintptr_t>(data) % alignment == 0;
}

class BufferOf : public testing::TestWithParam<size_t> {};

TEST_P(BufferOf, StartsAtACacheLineAndHoldsZeros) {
  const AlignedBuffer buffer(GetParam());
  EXPECT_TRUE(starts_at(buffer.data(), cache_line));
  EXPECT_TRUE(std::all_of(buffer.data(), buffer.data() + buffer.size(),
                          [](std::byte value) { return value == std::byte{0}; }));
}

TEST_P(BufferOf, KeepsItsPlaceWhenMoved) {
  AlignedBuffer buffer(GetParam());
  buffer.data()[GetParam() - 1] = std::byte{7};
  const std::byte* before = buffer.data();
  const AlignedBuffer moved = std::move(buffer);
  EXPECT_EQ(moved.data(), before);
  EXPECT_EQ(moved.data()[GetParam() - 1], std::byte{7});
}

INSTANTIATE_TEST_SUITE_P(AnySize, BufferOf, testing::Values(small, large));

TEST(Buffer, StartsAtALargePageWhereItIsLarge) {
  if (huge_page == 0) GTEST_SKIP() << "no large pages here";
  EXPECT_TRUE(starts_at(AlignedBuffer(large).data(), std::max(huge_page, cache_line)));
}

TEST(Arena, GivesPlacesSideBySideFromAPieceThatIsLargeEnough) {
  Arena arena(4096);
  const float* first = arena.take<float>(16);
  EXPECT_EQ(arena.take<float>(1), first + 16);
  EXPECT_EQ(arena.take<float>(16), first + 32);  // the one number has a cache line of its own
}

TEST(Arena, GivesMoreThanAPieceHoldsAndKeepsWhatItGave) {
  Arena arena(128);
  int64_t* first = arena.take<int64_t>(16);
  first[15] = 3;
  int64_t* second = arena.take<int64_t>(1000);
  second[999] = 4;
  EXPECT_EQ(first[15], 3);
  EXPECT_EQ(second[0], 0);
}

}  // namespace
}  // namespace headroom
