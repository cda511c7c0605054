#include "server/http/reply_socket.h"

#include <sys/socket.h>

#include <utility>

#include "server/http/response_head.h"

namespace headroom {
namespace {

iovec buffer_of(std::string_view text) {
  return {const_cast<char*>(text.data()), text.size()};
}

}  // namespace

SentResponse ReplySocket::send(HttpResponse response, bool keep_alive, bool head_only) {
  SentResponse sent{std::move(response), "", head_only, 0};
  const std::lock_guard lock(mutex_);
  sent.head = response_head(sent.response, keep_alive && !last_);
  if (descriptor_ < 0) return sent;
  if (tls_) {
    tls_->send(sent.head);
    tls_->send(sent.content());
    sent.head = tls_->take_output();
    sent.head_only = true;
  }
  sent.bytes = put(sent.head, sent.content());
  return sent;
}

// As much as the socket takes at once.
size_t ReplySocket::put(std::string_view head, std::string_view content) const {
  iovec buffers[] = {buffer_of(head), buffer_of(content)};
  msghdr message{};
  message.msg_iov = buffers;
  message.msg_iovlen = std::size(buffers);
  const ssize_t taken = sendmsg(descriptor_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  return taken > 0 ? static_cast<size_t>(taken) : 0;
}

TlsChannel::State ReplySocket::receive(std::string_view wire, std::string& plain) {
  const std::lock_guard lock(mutex_);
  if (tls_) return tls_->receive(wire, plain);
  plain += wire;
  return TlsChannel::State::open;
}

std::string ReplySocket::take_output() {
  const std::lock_guard lock(mutex_);
  return tls_ ? tls_->take_output() : "";
}

void ReplySocket::speak_plainly() {
  const std::lock_guard lock(mutex_);
  tls_.reset();
}

// Whatever of it does not fit, the end of the connection says the same.
void ReplySocket::say_goodbye() {
  const std::lock_guard lock(mutex_);
  if (!tls_ || descriptor_ < 0) return;
  tls_->say_goodbye();
  put(tls_->take_output(), {});
}

bool ReplySocket::send_now(std::string_view plain) {
  const std::lock_guard lock(mutex_);
  if (descriptor_ < 0) return false;
  if (!tls_) return put(plain, {}) == plain.size();
  tls_->send(plain);
  const std::string encrypted = tls_->take_output();
  return put(encrypted, {}) == encrypted.size();
}

void ReplySocket::expect_no_more() {
  const std::lock_guard lock(mutex_);
  last_ = true;
}

void ReplySocket::give_up() noexcept {
  const std::lock_guard lock(mutex_);
  if (descriptor_ >= 0) ::shutdown(descriptor_, SHUT_RDWR);
}

void ReplySocket::let_go() {
  const std::lock_guard lock(mutex_);
  descriptor_ = -1;
}

}  // namespace headroom
