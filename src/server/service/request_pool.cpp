#include "server/service/request_pool.h"

#include <algorithm>
#include <utility>

namespace headroom::server {
namespace {

// What a request costs besides its bytes, in bytes: routing, an answer, two locks.
constexpr double fixed_cost = 2000;

}  // namespace

RequestPool::RequestPool(const RequestPoolSettings& settings) : settings_(settings) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  settings_.threads = std::max(2, settings.threads > 0 ? settings.threads : cores / 4);
  for (int i = 0; i < settings_.threads; ++i) threads_.emplace_back([this] { work(); });
}

RequestPool::~RequestPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

bool RequestPool::post(const std::string& client, size_t bytes, Job job) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = clients_.find(client);
    const size_t own = found == clients_.end() ? 0 : found->second.waiting.size();
    const size_t clients = clients_.size() + (found == clients_.end() ? 1 : 0);
    if (waiting_ >= settings_.limit && (own + 1) * clients > settings_.limit) return false;
    Client& entry = clients_[client];
    if (found == clients_.end()) entry.used = last_used_;
    entry.waiting.push_back({fixed_cost + static_cast<double>(bytes), std::move(job)});
    ++waiting_;
  }
  changed_.notify_one();
  return true;
}

// The client that used least of those that wait and have a thread left; the end when there is none.
RequestPool::Clients::iterator RequestPool::next() {
  auto least = clients_.end();
  for (auto client = clients_.begin(); client != clients_.end(); ++client) {
    const bool may_run =
        !client->second.waiting.empty() && client->second.running < settings_.threads - 1;
    if (may_run && (least == clients_.end() || client->second.used < least->second.used)) {
      least = client;
    }
  }
  return least;
}

void RequestPool::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    auto client = clients_.end();
    changed_.wait(lock, [&] {
      client = next();
      return client != clients_.end() || stopping_;
    });
    if (stopping_) return;
    Client& entry = client->second;  // stays while it has something running
    Waiting request = std::move(entry.waiting.front());
    entry.waiting.pop_front();
    --waiting_;
    ++entry.running;
    last_used_ = std::max(last_used_, entry.used);
    entry.used += request.cost;
    lock.unlock();
    request.job();
    request.job = nullptr;  // a body takes time to free
    lock.lock();
    --entry.running;
    if (entry.waiting.empty() && entry.running == 0) clients_.erase(client);
    changed_.notify_one();  // its next request may run now
  }
}

}  // namespace headroom::server
