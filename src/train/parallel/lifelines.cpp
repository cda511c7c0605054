#include "train/parallel/lifelines.h"

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "base/error.h"

namespace headroom {
inline namespace train {
namespace {

[[noreturn]] void fail_line(const std::string& reason) {
  throw Error(ErrorCode::runtime, "find the other processes", reason);
}

}  // namespace

Lifelines::Lifelines(const World& world, double timeout_seconds,
                     const std::function<void(const std::string&)>& tell,
                     const std::function<std::string()>& ask) {
  try {
    if (world.rank == 0) {
      accept_all(world.size - 1, timeout_seconds, tell);
    } else {
      connect_to(world.address, ask());
    }
  } catch (...) {
    close_all();
    throw;
  }
}

Lifelines::~Lifelines() {
  close_all();
}

void Lifelines::close_all() {
  for (const int socket : sockets_) ::close(socket);
}

void Lifelines::accept_all(int count, double timeout_seconds,
                           const std::function<void(const std::string&)>& tell) {
  const int listener = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0) fail_line(std::strerror(errno));
  const std::unique_ptr<const int, void (*)(const int*)> closed(&listener,
                                                                [](const int* s) { ::close(*s); });
  sockaddr_in6 any = {};
  any.sin6_family = AF_INET6;
  any.sin6_addr = in6addr_any;
  socklen_t size = sizeof(any);
  constexpr int no = 0;  // IPv4 comes in through the same socket
  ::setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
  if (::bind(listener, reinterpret_cast<sockaddr*>(&any), size) != 0 ||
      ::listen(listener, count) != 0 ||
      ::getsockname(listener, reinterpret_cast<sockaddr*>(&any), &size) != 0) {
    fail_line(std::strerror(errno));
  }
  tell(std::to_string(ntohs(any.sin6_port)));
  for (int i = 0; i < count; ++i) {
    pollfd waiting = {listener, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(timeout_seconds * 1e3)) <= 0) {
      fail_line("a process did not come within the timeout");
    }
    const int line = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    if (line < 0) fail_line(std::strerror(errno));
    sockets_.push_back(line);
  }
}

void Lifelines::connect_to(const std::string& address, const std::string& port) {
  addrinfo wanted = {};
  wanted.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int error = ::getaddrinfo(address.c_str(), port.c_str(), &wanted, &found); error != 0) {
    fail_line(address + ": " + ::gai_strerror(error));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> freed(found, ::freeaddrinfo);
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    const int line = ::socket(each->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (line >= 0 && ::connect(line, each->ai_addr, each->ai_addrlen) == 0) {
      sockets_.push_back(line);
      return;
    }
    if (line >= 0) ::close(line);
  }
  fail_line(address + ": " + std::strerror(errno));
}

bool Lifelines::broken() const {
  for (const int socket : sockets_) {
    pollfd line = {socket, POLLIN, 0};
    if (::poll(&line, 1, 0) > 0) return true;  // nothing is ever sent: this is its end
  }
  return false;
}

}  // namespace train
}  // namespace headroom
