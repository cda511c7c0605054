// Any bytes over a socket to the real door: it answers in HTTP or hangs up, and never blames
// itself. The door stays open from one input to the next, as it does in life.
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "server/door.h"
#include "target.h"

namespace headroom::fuzz {
namespace {

// libFuzzer's timer interrupts calls; a connection that was begun is then made all the same.
bool connects(int connection, const sockaddr_in& address) {
  if (::connect(connection, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    return true;
  }
  if (errno != EINTR) return false;
  pollfd made = {connection, POLLOUT, 0};
  while (::poll(&made, 1, -1) < 0 && errno == EINTR) {
  }
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(connection, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

int connected_socket(int port) {
  const int connection = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  require(connects(connection, address), "the door takes connections");
  // Closing with a reset leaves no waiting port behind; thousands of inputs a second would use up
  // all there are.
  const linger reset = {1, 0};
  ::setsockopt(connection, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
  return connection;
}

std::string exchange(int port, std::string_view bytes) {
  const int connection = connected_socket(port);
  while (!bytes.empty()) {
    const ssize_t sent = ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) break;  // it has heard enough
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  ::shutdown(connection, SHUT_WR);
  std::string answer;
  std::array<char, 4096> block = {};
  while (true) {
    const ssize_t got = ::recv(connection, block.data(), block.size(), 0);
    if (got <= 0) break;
    answer.append(block.data(), static_cast<size_t>(got));
  }
  ::close(connection);
  return answer;
}

const Target http_exchange("http_exchange", [](std::string_view input) {
  static testing::Door door;
  const std::string answer = exchange(door.port, input);
  require(answer.empty() || answer.starts_with("HTTP/1.1 "), "it speaks HTTP");
  require(!answer.starts_with("HTTP/1.1 5"), "it never blames itself");
});

}  // namespace
}  // namespace headroom::fuzz
