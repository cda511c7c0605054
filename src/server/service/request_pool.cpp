#include "server/service/request_pool.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/error.h"
#include "base/prompt_thread.h"

namespace headroom::server {
namespace {

// What a request costs besides its bytes, in bytes: routing, an answer, two locks.
constexpr double fixed_cost = 2000;

// Above this many bytes a request is large: parsing 64 KB takes a tenth of a millisecond.
constexpr double large_cost = 65536;

}  // namespace

RequestPool::RequestPool(const RequestPoolSettings& settings) : settings_(settings) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  settings_.threads = std::max(2, settings.threads > 0 ? settings.threads : cores / 4);
  try {
    for (int i = 0; i < settings_.threads; ++i) {
      threads_.emplace_back([this] {
        wake_promptly();  // before workers, which compute for milliseconds
        work(Share::small);
      });
    }
    threads_.emplace_back([this] {
      // Of this thread alone, as Linux has it; where it fails, large requests are no more patient.
      static_cast<void>(setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 19));
      work(Share::large);
    });
  } catch (const std::system_error& problem) {
    const size_t started = threads_.size();
    stop();  // those that did start must end before their members do
    throw Error(ErrorCode::runtime, "start threads",
                fmt::format("the system gave {} of {} for requests: {}", started,
                            settings_.threads + 1, problem.what()));
  }
}

RequestPool::~RequestPool() {
  stop();
}

void RequestPool::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  small_changed_.notify_all();
  large_changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

RequestPool::Share RequestPool::share_of(const Waiting& request) {
  return request.cost > large_cost ? Share::large : Share::small;
}

void RequestPool::wake_for_next(const Client& client) {
  if (!client.waiting.empty()) changed(share_of(client.waiting.front())).notify_one();
}

bool RequestPool::post(const std::string& client, size_t bytes, Job job) {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(client);
  const size_t own = found == clients_.end() ? 0 : found->second.waiting.size();
  const size_t clients = clients_.size() + (found == clients_.end() ? 1 : 0);
  if (waiting_ >= settings_.limit && (own + 1) * clients > settings_.limit) return false;
  Client& entry = clients_[client];
  if (found == clients_.end()) entry.used = last_used_;
  entry.waiting.push_back({fixed_cost + static_cast<double>(bytes), std::move(job)});
  ++waiting_;
  wake_for_next(entry);
  return true;
}

// The client that used least of those that wait for such a thread and have one left; the end when
// there is none.
RequestPool::Clients::iterator RequestPool::next(Share share) {
  auto least = clients_.end();
  for (auto client = clients_.begin(); client != clients_.end(); ++client) {
    const Client& entry = client->second;
    const bool may_run = !entry.waiting.empty() && entry.running < settings_.threads - 1 &&
                         share_of(entry.waiting.front()) == share;
    if (may_run && (least == clients_.end() || client->second.used < least->second.used)) {
      least = client;
    }
  }
  return least;
}

void RequestPool::work(Share share) {
  std::unique_lock lock(mutex_);
  while (true) {
    auto client = clients_.end();
    changed(share).wait(lock, [&] {
      client = next(share);
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
    wake_for_next(entry);  // which may be for the other share
    lock.unlock();
    try {
      request.job();
    } catch (...) {  // no memory even for a refusal: its client waits in vain, the others do not
    }
    request.job = nullptr;  // a body takes time to free
    lock.lock();
    --entry.running;
    wake_for_next(entry);  // which may run now
    if (entry.waiting.empty() && entry.running == 0) clients_.erase(client);
  }
}

}  // namespace headroom::server
