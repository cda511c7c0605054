// N threads, the caller's among them, that split a call. Waiting threads sleep. One call at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace headroom {

class ThreadPool {
 public:
  static constexpr int most_threads = 1024;

  // `threads` in [1, most_threads], otherwise ErrorCode::usage; ErrorCode::runtime when the system
  // has no more threads to give.
  explicit ThreadPool(int threads);
  ~ThreadPool() { stop(); }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Does part [begin, end) of a call.
  using Work = std::function<void(size_t begin, size_t end)>;

  // Splits [0, count) into parts of at most `largest`; returns when all are done. The first failure
  // is thrown, and what nobody had begun by then is left out.
  void share(size_t count, size_t largest, const Work& work);

  int threads() const { return static_cast<int>(threads_.size()) + 1; }

 private:
  size_t next_part() const;
  void take_parts(std::unique_lock<std::mutex>& lock);
  void serve();
  void stop();

  std::vector<std::thread> threads_;  // without the caller's

  std::mutex mutex_;  // guards what follows
  std::condition_variable work_came_;
  std::condition_variable work_done_;
  const Work* work_ = nullptr;  // null: nothing to do
  size_t next_ = 0;             // first index nobody has taken
  size_t count_ = 0;
  size_t largest_ = 1;
  int busy_ = 0;
  std::exception_ptr failure_;  // the first one
  bool stopping_ = false;
};

}  // namespace headroom
