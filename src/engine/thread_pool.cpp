#include "engine/thread_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <system_error>

#include "base/error.h"

namespace headroom {
namespace {

// Whether `condition` comes true within 100 microseconds: what a step of a layer takes.
template <typename Condition>
bool spin_until(const Condition& condition) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + std::chrono::microseconds(100);
  do {
    if (condition()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  } while (Clock::now() < end);
  return false;
}

// The parts of one call, as threads take them.
class Parts {
 public:
  Parts(size_t count, size_t largest, size_t threads)
      : count_(count), largest_(largest), threads_(threads) {}

  void run(const ThreadPool::Work& work) {
    std::unique_lock lock(mutex_);
    while (next_ < count_) {
      const size_t begin = next_;
      const size_t end = begin + next_part();
      next_ = end;
      lock.unlock();
      std::exception_ptr failure;
      try {
        work(begin, end);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (!failure) continue;
      if (!failure_) failure_ = failure;
      next_ = count_;  // the rest would be thrown away
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  // How many to take: several parts a thread, smaller ones towards the end, so that none waits long
  // for the last.
  size_t next_part() const {
    return std::clamp<size_t>((count_ - next_) / (threads_ * 4), 1, largest_);
  }

  size_t count_;
  size_t largest_;
  size_t threads_;
  std::mutex mutex_;  // guards what follows
  size_t next_ = 0;   // first index nobody has taken
  std::exception_ptr failure_;
};

}  // namespace

ThreadPool::ThreadPool(int threads) {
  if (threads < 1 || threads > most_threads) {
    throw Error(ErrorCode::usage, "start threads",
                fmt::format("{} threads, expected 1 to {}", threads, most_threads));
  }
  spins_ = static_cast<unsigned>(threads) <= std::thread::hardware_concurrency();
  try {
    for (int i = 1; i < threads; ++i) threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error& problem) {
    stop();  // those that did start must end before their members do
    throw Error(
        ErrorCode::runtime, "start threads",
        fmt::format("the system gave {} of {}: {}", threads_.size() + 1, threads, problem.what()));
  }
}

void ThreadPool::stop() {
  stopping_ = true;
  ++wakes_;
  wakes_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::serve() {
  while (true) {
    const uint32_t wakes = wakes_;
    if (stopping_) return;
    while (run_next()) {
    }
    const auto has_work = [this] {
      const Open open = open_;
      return open.next < open.count || stopping_;
    };
    if (spins_ && spin_until(has_work)) continue;
    sleepers_ = true;  // before the last look: who opens a job later sees it
    if (!has_work()) wakes_.wait(wakes);
  }
}

// Takes the next index and runs it; false where none is open.
bool ThreadPool::run_next() {
  Open open = open_.load(std::memory_order_acquire);
  Open taken;
  do {
    if (open.next == open.count) return false;
    taken = open;
    ++taken.next;
  } while (!open_.compare_exchange_weak(open, taken, std::memory_order_acquire));
  job_.run(job_.work, open.next);
  if (running_.fetch_sub(1, std::memory_order_acq_rel) == 1) running_.notify_one();
  return true;
}

// All of them: one that stays asleep would miss the jobs that follow.
void ThreadPool::wake() {
  if (!sleepers_) return;
  sleepers_ = false;
  ++wakes_;
  wakes_.notify_all();
}

void ThreadPool::run(int count, const Job& job) {
  job_ = job;
  running_.store(static_cast<uint32_t>(count), std::memory_order_relaxed);
  const uint32_t number = open_.load(std::memory_order_relaxed).job + 1;
  open_ = {number, static_cast<uint16_t>(count), 0};
  wake();
  while (run_next()) {
  }
  if (spins_ && spin_until([this] { return running_.load(std::memory_order_acquire) == 0; }))
    return;
  while (const uint32_t running = running_.load(std::memory_order_acquire)) running_.wait(running);
}

void ThreadPool::share(size_t count, size_t largest, const Work& work) {
  const auto all = static_cast<size_t>(threads());
  Parts parts(count, largest, all);
  for_each(static_cast<int>(std::clamp<size_t>(count, 1, all)), [&](int) { parts.run(work); });
  parts.rethrow();
}

}  // namespace headroom
