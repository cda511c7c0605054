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
  iovec buffers[] = {buffer_of(sent.head), buffer_of(sent.content())};
  msghdr message{};
  message.msg_iov = buffers;
  message.msg_iovlen = std::size(buffers);
  const ssize_t taken = sendmsg(descriptor_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
  if (taken > 0) sent.bytes = static_cast<size_t>(taken);
  return sent;
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
