// N threads, the caller's among them, that split a call. Nobody waits for a thread that has not
// begun: where others keep it from running, the caller does its part. Threads without work spin for
// a moment, because waking one takes longer than a step of a layer, and then sleep. One call at a
// time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
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

  // work(0), ..., work(count - 1), each once, on threads that are free; count <= most_threads.
  // Returns when all are done. It must not throw. Allocates nothing.
  template <typename IndexWork>
  void for_each(int count, const IndexWork& work) {
    run(count, {&work, [](const void* each, int index) {
                  (*static_cast<const IndexWork*>(each))(index);
                }});
  }

  int threads() const { return static_cast<int>(threads_.size()) + 1; }

 private:
  struct Job {
    const void* work = nullptr;
    void (*run)(const void* work, int index) = nullptr;
  };

  // What is left of a job to be begun, in one word, so that nobody takes an index of an older job.
  struct Open {
    uint32_t job = 0;  // counts them
    uint16_t count = 0;
    uint16_t next = 0;
  };

  void run(int count, const Job& job);
  bool run_next();
  void wake();
  void serve();
  void stop();

  std::vector<std::thread> threads_;  // without the caller's
  bool spins_ = false;                // every thread has a core
  // Cache lines by who writes them when: whoever sees a job finds all of it in one.
  alignas(64) std::atomic<Open> open_{Open{}};
  Job job_;                                       // stays while one of its indices is open or runs
  alignas(64) std::atomic<uint32_t> running_{0};  // indices that are open or run
  alignas(64) std::atomic<uint32_t> wakes_{0};
  std::atomic<bool> sleepers_{false};  // whether a thread may sleep
  std::atomic<bool> stopping_{false};
};

}  // namespace headroom
