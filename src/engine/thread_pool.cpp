#include "engine/thread_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/error.h"

namespace headroom {

ThreadPool::ThreadPool(int threads) {
  if (threads < 1 || threads > most_threads) {
    throw Error(ErrorCode::usage, "start threads",
                fmt::format("{} threads, expected 1 to {}", threads, most_threads));
  }
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
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_came_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_came_.wait(lock, [this] { return stopping_ || (work_ != nullptr && next_ < count_); });
    if (stopping_) return;
    take_parts(lock);
  }
}

// How many to take: several parts a thread, smaller ones towards the end, so that none waits long
// for the last.
size_t ThreadPool::next_part() const {
  return std::clamp<size_t>((count_ - next_) / ((threads_.size() + 1) * 4), 1, largest_);
}

// Takes parts until none is left. `lock` is held on entry and on return.
void ThreadPool::take_parts(std::unique_lock<std::mutex>& lock) {
  ++busy_;
  while (next_ < count_) {
    const size_t begin = next_;
    const size_t end = begin + next_part();
    next_ = end;
    const Work& work = *work_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      work(begin, end);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    if (failure) {
      if (!failure_) failure_ = failure;
      next_ = count_;  // the rest would be thrown away
    }
  }
  if (--busy_ == 0) work_done_.notify_all();
}

void ThreadPool::share(size_t count, size_t largest, const Work& work) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  next_ = 0;
  count_ = count;
  largest_ = largest;
  failure_ = nullptr;
  if (count > 1) work_came_.notify_all();
  take_parts(lock);
  work_done_.wait(lock, [this] { return busy_ == 0; });
  work_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

}  // namespace headroom
