// What holds for every scanner of words.
#pragma once

#include <gtest/gtest.h>

namespace headroom::testing {

template <typename Scanner>
void expect_serves_many_texts() {
  Scanner scanner;
  scanner.reset("First text");
  ASSERT_TRUE(scanner.next());
  scanner.reset("second");
  ASSERT_TRUE(scanner.next());
  EXPECT_EQ(scanner.word(), "second");
  EXPECT_FALSE(scanner.next());
  EXPECT_FALSE(scanner.next()) << "stays at the end";
}

}  // namespace headroom::testing
