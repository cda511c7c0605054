// Whose turn it is among clients that ask for much and for little.
#include "server/schedule/client_shares.h"

#include <gtest/gtest.h>

namespace headroom::server {
namespace {

// Asks for `work_ms`; the client's turn after that.
double ask(ClientShares& shares, const std::string& client, double now, double work_ms) {
  const size_t clients = shares.clients(client, now);
  const double turn = shares.next_turn_ms(shares.turn_ms(client, now), clients, work_ms);
  shares.set_turn(client, turn);
  return turn;
}

TEST(ClientShares, AloneAClientHasAllWorkers) {
  ClientShares shares(2);
  EXPECT_EQ(ask(shares, "a", 100, 10), 105);
  EXPECT_EQ(ask(shares, "a", 100, 10), 110);
}

TEST(ClientShares, SeveralHaveEqualParts) {
  ClientShares shares(2);
  ask(shares, "a", 0, 10);
  EXPECT_EQ(shares.clients("b", 0), 2U);
  EXPECT_EQ(ask(shares, "b", 0, 10), 10);
  EXPECT_EQ(shares.turn_ms("a", 0), 5) << "what was promised before stays";
}

TEST(ClientShares, WhoAsksForLittleIsNeverFarFromNow) {
  ClientShares shares(2);
  for (int now = 0; now < 1000; now += 10) {
    ask(shares, "hog", now, 40);
    EXPECT_LE(ask(shares, "light", now, 5), now + 5);
  }
  EXPECT_GT(shares.turn_ms("hog", 1000), 3000);
}

TEST(ClientShares, NobodySavesUpWhileIdleAndOldDebtsEnd) {
  ClientShares shares(1);
  ask(shares, "a", 0, 10);
  EXPECT_EQ(shares.clients("b", 400), 2U) << "a has a part for a while";
  EXPECT_EQ(shares.clients("b", 600), 1U);
  EXPECT_EQ(shares.turn_ms("a", 500), 500);
}

}  // namespace
}  // namespace headroom::server
