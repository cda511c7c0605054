#include "load_socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <utility>

namespace headroom {
namespace {

SSL_CTX* client_context() {
  static SSL_CTX* const context = [] {
    std::signal(SIGPIPE, SIG_IGN);  // OpenSSL writes with write(), which cannot be told otherwise
    return SSL_CTX_new(TLS_client_method());
  }();
  return context;
}

}  // namespace

int connect_to(int port, const std::string& source) {
  const int connected = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  inet_pton(AF_INET, source.c_str(), &address.sin_addr);
  const int on = 1;  // the port is chosen when it is known whom to connect to
  setsockopt(connected, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof(on));
  const bool bound = bind(connected, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bound && connect(connected, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0) {
    return connected;
  }
  ::close(connected);
  return -1;
}

LoadSocket::LoadSocket(int port, Transport transport, double patience_seconds,
                       const std::string& source)
    : descriptor_(connect_to(port, source)),
      patience_ms_(static_cast<int>(1000 * patience_seconds)) {
  if (!connected()) return;
  const int on = 1;
  setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  fcntl(descriptor_, F_SETFL, O_NONBLOCK);
  if (transport == Transport::plain) return;
  tls_.reset(SSL_new(client_context()), SSL_free);
  SSL_set_fd(tls_.get(), descriptor_);
  int done = 0;
  while ((done = SSL_connect(tls_.get())) != 1 && retry(done)) {
  }
  if (done != 1) close();
}

LoadSocket::~LoadSocket() {
  close();
}

LoadSocket::LoadSocket(LoadSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      patience_ms_(other.patience_ms_),
      tls_(std::move(other.tls_)) {}

LoadSocket& LoadSocket::operator=(LoadSocket&& other) noexcept {
  close();
  descriptor_ = std::exchange(other.descriptor_, -1);
  patience_ms_ = other.patience_ms_;
  tls_ = std::move(other.tls_);
  return *this;
}

void LoadSocket::close() {
  tls_.reset();
  if (connected()) ::close(descriptor_);
  descriptor_ = -1;
}

bool LoadSocket::wait_for(short event) const {
  pollfd ready{descriptor_, event, 0};
  return poll(&ready, 1, patience_ms_) > 0;
}

bool LoadSocket::retry(int result) const {
  const int problem = SSL_get_error(tls_.get(), result);
  ERR_clear_error();
  if (problem == SSL_ERROR_WANT_READ) return wait_for(POLLIN);
  return problem == SSL_ERROR_WANT_WRITE && wait_for(POLLOUT);
}

bool LoadSocket::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    if (tls_) {  // all at once
      const int sent = SSL_write(tls_.get(), bytes.data(), static_cast<int>(bytes.size()));
      if (sent > 0) return true;
      if (!retry(sent)) return false;
      continue;
    }
    const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && (errno != EAGAIN || !wait_for(POLLOUT))) return false;
    bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(sent, 0)));
  }
  return true;
}

int LoadSocket::read_part(char* part, int size) const {
  if (!tls_) {
    const ssize_t count = recv(descriptor_, part, static_cast<size_t>(size), 0);
    const bool none_yet = count < 0 && (errno == EAGAIN || errno == EINTR);
    return none_yet ? -1 : static_cast<int>(std::max<ssize_t>(count, 0));
  }
  const int count = SSL_read(tls_.get(), part, size);
  const bool none_yet = count <= 0 && SSL_get_error(tls_.get(), count) == SSL_ERROR_WANT_READ;
  ERR_clear_error();
  return none_yet ? -1 : std::max(count, 0);
}

LoadSocket::Received LoadSocket::receive(std::string& to, bool wait) const {
  std::array<char, 16'384> part;
  Received result = Received::nothing;
  while (true) {
    const int count = read_part(part.data(), static_cast<int>(part.size()));
    if (count > 0) {
      to.append(part.data(), static_cast<size_t>(count));
      result = Received::bytes;
      continue;
    }
    if (result == Received::bytes) return result;
    if (count == 0) return Received::end;
    if (!wait || !wait_for(POLLIN)) return Received::nothing;
  }
}

void LoadSocket::reset_on_close() const {
  const linger now{1, 0};
  setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
}

}  // namespace headroom
