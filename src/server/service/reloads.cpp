#include "server/service/reloads.h"

#include <exception>
#include <utility>

namespace headroom::server {

Reloads::Reloads(std::vector<Part> parts, Report report)
    : parts_(std::move(parts)), report_(std::move(report)), thread_([this] { work(); }) {}

Reloads::~Reloads() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Reloads::request() {
  {
    const std::lock_guard lock(mutex_);
    requested_ = true;
  }
  changed_.notify_one();
}

void Reloads::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return requested_ || stopping_; });
    if (stopping_) return;
    requested_ = false;
    lock.unlock();
    for (const Part& part : parts_) {
      std::optional<std::string> why;
      try {
        part.reload();
      } catch (const std::exception& error) {
        why = error.what();
      }
      report_(part.name, std::move(why));
    }
    lock.lock();
  }
}

}  // namespace headroom::server
