// When a text that is alone has all cores.
#include "server/schedule/solo_runs.h"

#include <gtest/gtest.h>

namespace headroom::server {
namespace {

void end(SoloRuns& runs, int count, bool others_came) {
  for (int i = 0; i < count; ++i) runs.ended(others_came);
}

TEST(SoloRuns, AClientThatAsksOneByOneIsNeverDisturbed) {
  SoloRuns runs;
  EXPECT_TRUE(runs.undisturbed()) << "nothing is known yet";
  end(runs, 1000, false);
  EXPECT_TRUE(runs.undisturbed());
  end(runs, 1, true);
  EXPECT_TRUE(runs.undisturbed()) << "one other is not many";
}

TEST(SoloRuns, ManyClientsDisturbEachOther) {
  SoloRuns runs;
  end(runs, 3, true);
  EXPECT_FALSE(runs.undisturbed());
}

TEST(SoloRuns, ComesBackWhenTheOthersHaveGone) {
  SoloRuns runs;
  end(runs, 1000, true);
  EXPECT_FALSE(runs.undisturbed());
  end(runs, 50, false);
  EXPECT_TRUE(runs.undisturbed());
}

}  // namespace
}  // namespace headroom::server
