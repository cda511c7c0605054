#include "cli/options.h"

#include <gtest/gtest.h>

#include "cli/app.h"
#include "support.h"

namespace headroom {
namespace {
using testing::expect_error;

TEST(Counts, ListsAreReadInOrder) {
  EXPECT_EQ(parse_counts("--batch", "1,32,8"), (std::vector<int64_t>{1, 32, 8}));
  EXPECT_EQ(parse_counts("--batch", "7"), (std::vector<int64_t>{7}));
}

TEST(Counts, WhatIsNoWholeNumberOfAtLeastOneIsQuotedBackWithItsOption) {
  for (const char* bad : {"", "0", "-3", "1,", ",1", "1,,2", "1.5", "ten", "1 ", " 1", "1;2", "+1",
                          "9223372036854775808"}) {
    expect_error(ErrorCode::usage, "--batch \"" + std::string(bad) + "\"",
                 [&] { parse_counts("--batch", bad); });
  }
}

TEST(RequireSupported, ValuesOfThisVersionPass) {
  require_supported("--method", "dense", {"dense", "budgeted"});
}

TEST(RequireSupported, OtherValuesAreToldWhatThereIs) {
  expect_error(ErrorCode::usage,
               "--method adaptive is not supported; this version has: dense, "
               "budgeted",
               [] {
                 require_supported("--method", "adaptive", {"dense", "budgeted"});
               });
}

}  // namespace
}  // namespace headroom
