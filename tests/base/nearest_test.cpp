#include "base/nearest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headroom {
namespace {

const std::vector<std::string>& verbs() {
  static const std::vector<std::string> all = {"train", "predict", "inspect", "eval", "export"};
  return all;
}

TEST(Nearest, FindsWhatWasMistyped) {
  EXPECT_EQ(nearest("predcit", verbs()), "predict");
  EXPECT_EQ(nearest("trian", verbs()), "train");
  EXPECT_EQ(nearest("exprot", verbs()), "export");
  EXPECT_EQ(nearest("pred", verbs()), "predict") << "the start of a name";
}

TEST(Nearest, FindsNothingWhereNothingIsNear) {
  EXPECT_EQ(nearest("serve", verbs()), "");
  EXPECT_EQ(nearest("", verbs()), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), verbs()), "");
  EXPECT_EQ(nearest("x", verbs()), "") << "one letter says too little";
}

TEST(Nearest, SaysSoInAMessage) {
  EXPECT_EQ(did_you_mean("evla", verbs()), "; did you mean eval");
  EXPECT_EQ(did_you_mean("zzzz", verbs()), "");
}

}  // namespace
}  // namespace headroom
