// A reserved port is refused to strangers and open to whoever is told its number.
#include "train/parallel/reserved_port.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace headroom {
namespace {

bool can_listen(int port, bool reuse) {
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int flag = reuse ? 1 : 0;
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  const bool listens =
      ::setsockopt(server, SOL_SOCKET, SO_REUSEADDR, &flag, sizeof(flag)) == 0 &&
      ::bind(server, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
      ::listen(server, 1) == 0;
  ::close(server);
  return listens;
}

TEST(ReservedPort, IsBoundBeforeAnyoneListens) {
  const ReservedPort port;
  EXPECT_GT(port.number(), 0);
  EXPECT_FALSE(can_listen(port.number(), /*reuse=*/false)) << "it is taken";
}

TEST(ReservedPort, IsOpenToAServerThatReusesAddresses) {
  const ReservedPort port;
  EXPECT_TRUE(can_listen(port.number(), /*reuse=*/true));
}

TEST(ReservedPort, IsNobodyElses) {
  const ReservedPort one;
  const ReservedPort other;
  EXPECT_NE(one.number(), other.number());
}

}  // namespace
}  // namespace headroom
