#include "base/enum_table.h"

#include <gtest/gtest.h>

#include "support.h"

namespace headroom {
namespace {

enum class Colour { red, blue, unnamed };

constexpr auto colour_table =
    enum_table<Colour>("colour", {{Colour::red, "red", "warm"}, {Colour::blue, "blue", "cold"}});

TEST(EnumTable, NamesAndFindsItsValues) {
  EXPECT_EQ(colour_table.name(Colour::blue), "blue");
  EXPECT_EQ(colour_table.name(Colour::unnamed), "");
  EXPECT_EQ(colour_table.find("red"), Colour::red);
  EXPECT_EQ(colour_table.find("green"), std::nullopt);
  EXPECT_EQ(colour_table.entries[0].help, "warm");
}

TEST(EnumTable, SaysWhatItWouldHaveTaken) {
  EXPECT_EQ(colour_table.parse("blue"), Colour::blue);
  testing::expect_error(ErrorCode::usage, "colour \"green\" is not one of red, blue",
                        [] { colour_table.parse("green"); });
  testing::expect_error(ErrorCode::bad_model, "green",
                        [] { colour_table.parse("green", ErrorCode::bad_model, "read"); });
}

}  // namespace
}  // namespace headroom
