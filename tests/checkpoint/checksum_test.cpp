#include "checkpoint/tensors/checksum.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace headroom {
namespace {

uint64_t hash_of(std::string_view text, size_t piece) {
  Xxh64 hash;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    hash.update(std::as_bytes(std::span(text.substr(0, piece))));
  }
  return hash.digest();
}

// Values of the reference implementation, seed 0; lengths below, at and above a stripe of 32 bytes.
TEST(Xxh64, GivesTheValuesOfTheReferenceImplementation) {
  EXPECT_EQ(hash_of("", 1), 0xef46db3751d8e999U);
  EXPECT_EQ(hash_of("a", 1), 0xd24ec4f1a98c6e5bU);
  EXPECT_EQ(hash_of("abc", 3), 0x44bc2cf5ad770999U);
  EXPECT_EQ(hash_of("Nobody inspects the spammish repetition", 99), 0xfbcea83c8a378bf1U);
}

TEST(Xxh64, DoesNotDependOnThePieces) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 7);
  for (const size_t length : {31U, 32U, 33U, 64U, 999U}) {
    const std::string_view part = std::string_view(text).substr(0, length);
    for (const size_t piece : {1U, 5U, 31U, 32U, 33U, 100U}) {
      EXPECT_EQ(hash_of(part, piece), hash_of(part, length)) << length << " in " << piece;
    }
  }
}

TEST(Xxh64, ChangesWithEveryBit) {
  const std::string text(100, 'x');
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] ^= 1;
    EXPECT_NE(hash_of(changed, 100), hash_of(text, 100)) << i;
  }
}

}  // namespace
}  // namespace headroom
