// Who gets what of --max-memory.
#include "cli/serving/memory.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/measure/machine.h"
#include "server/fake_backend.h"

namespace headroom {
namespace {

constexpr uint64_t mebibyte = 1 << 20;

// A server that has so much beside what this process takes now.
ServeOptions options_with(uint64_t left) {
  ServeOptions options;
  options.max_memory = static_cast<uint64_t>(resident_memory_bytes()) + left;
  options.http.connections = 100;
  options.service.workers = 1;
  return options;
}

std::vector<server::ServedModel> one_model() {
  return {testing::small_model("news")};
}

TEST(ServingMemory, BodiesGetWhatIsLeft) {
  ServeOptions options = options_with(200 * mebibyte);
  share_memory(options, one_model());
  EXPECT_GT(options.http.held_bytes, 60 * mebibyte);
  EXPECT_LT(options.http.held_bytes, 100 * mebibyte);
  EXPECT_GT(options.reserved_memory, 2 * options.http.held_bytes);
  EXPECT_LE(options.reserved_memory, 200 * mebibyte);
}

TEST(ServingMemory, MessagesOfGrpcGetAsMuchAsBodiesOfHttp) {
  ServeOptions alone = options_with(200 * mebibyte);
  share_memory(alone, one_model());
  ServeOptions options = options_with(200 * mebibyte);
  options.grpc_port = 0;
  share_memory(options, one_model());
  EXPECT_LT(options.http.held_bytes, alone.http.held_bytes / 2) << "its threads take some too";
  EXPECT_GT(options.reserved_memory, 4 * options.http.held_bytes);
  EXPECT_LE(options.reserved_memory, 200 * mebibyte);
}

TEST(ServingMemory, ThereMustBeRoomForARequestAtEachPort) {
  ServeOptions options = options_with(40 * mebibyte);
  EXPECT_NO_THROW(share_memory(options, one_model()));
  options = options_with(40 * mebibyte);
  options.http.body_bytes = 2 * mebibyte;
  options.grpc_port = 0;
  EXPECT_THROW(share_memory(options, one_model()), Error);
}

TEST(ServingMemory, WithoutALimitBothHaveTheUsualBytes) {
  ServeOptions options;
  options.grpc_port = 0;
  share_memory(options, one_model());
  EXPECT_EQ(options.http.held_bytes, HttpLimits().held_bytes);
}

}  // namespace
}  // namespace headroom
