// The way back from worker threads to the thread of the sockets, which may be gone by then.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <mutex>
#include <utility>

namespace headroom {

class ReplyGate {
 public:
  explicit ReplyGate(boost::asio::io_context& context) : context_(&context) {}

  // Runs `action` on the thread of the sockets; does nothing after shut().
  template <typename Action>
  void post(Action action) {
    const std::lock_guard lock(mutex_);
    if (context_ != nullptr) boost::asio::post(*context_, std::move(action));
  }

  void shut() {
    const std::lock_guard lock(mutex_);
    context_ = nullptr;
  }

 private:
  std::mutex mutex_;
  boost::asio::io_context* context_;
};

}  // namespace headroom
