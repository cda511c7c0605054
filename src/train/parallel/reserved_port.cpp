#include "train/parallel/reserved_port.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace headroom {

ReservedPort::ReservedPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof(address);
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  constexpr int yes = 1;
  if (socket_ < 0 || ::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) != 0 ||
      ::bind(socket_, any, size) != 0 || ::getsockname(socket_, any, &size) != 0) {
    const int problem = errno;
    if (socket_ >= 0) ::close(socket_);
    throw Error(ErrorCode::runtime, "reserve a port", std::strerror(problem));
  }
  number_ = ntohs(address.sin_port);
}

ReservedPort::~ReservedPort() {
  ::close(socket_);
}

}  // namespace headroom
