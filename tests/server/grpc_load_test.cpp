// The gRPC door as the program gets it: from the module. Here, because a program that has the
// messages itself cannot load them once more.
#include <gtest/gtest.h>

#include "server/api/router.h"
#include "server/grpc/door.h"
#include "server/raw_client.h"
#include "server/telemetry/metrics.h"

namespace headroom::server {
namespace {

TEST(GrpcModule, IsFoundBesideTheProgramAndListens) {
  Metrics metrics({"news"});
  Router router({}, "", metrics, [] {});
  const auto door = open_grpc_door(router, {"127.0.0.1", 0, {}, {}, {}});
  EXPECT_GT(door->port(), 0);
  EXPECT_EQ(door->address(), "127.0.0.1:" + std::to_string(door->port()));
  testing::RawClient client(door->port());
  client.send("GET / HTTP/1.1\r\nHost: t\r\n\r\n");
  EXPECT_TRUE(client.hung_up_on()) << "it speaks HTTP/2 alone";
  EXPECT_EQ(door->stop(std::chrono::milliseconds(0)), 0);
}

}  // namespace
}  // namespace headroom::server
