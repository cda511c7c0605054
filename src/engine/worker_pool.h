// N workers on N threads, the caller's among them, that split a call by sequence. Waiting threads
// sleep. An answer has the same bits for every N. One call at a time.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "engine/worker.h"

namespace headroom {

class WorkerPool {
 public:
  // `threads` in [1, most_threads], otherwise ErrorCode::usage.
  WorkerPool(const std::shared_ptr<const EngineModel>& model, int threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  static constexpr int most_threads = 1024;

  std::vector<Answer> classify(std::span<const Text> inputs, double budget);
  std::vector<Answer> classify(std::span<const Tokens> inputs, double budget);

  // A budget for each input.
  std::vector<Answer> classify(std::span<const Text> inputs, std::span<const double> budgets);
  std::vector<Answer> classify(std::span<const Tokens> inputs, std::span<const double> budgets);

  // Does part [begin, end) of a call.
  using Work = std::function<void(Worker&, size_t begin, size_t end)>;

  // Splits [0, count) into parts, each done by one thread with its own worker; returns when all are
  // done. The first failure is thrown, and what nobody had begun by then is left out.
  void share(size_t count, const Work& work);

  int threads() const { return static_cast<int>(workers_.size()); }
  const EngineModel& model() const { return workers_.front()->model(); }

 private:
  template <typename Input>
  std::vector<Answer> split(std::span<const Input> inputs, std::span<const double> budgets);
  size_t next_part() const;
  void take_parts(Worker& worker, std::unique_lock<std::mutex>& lock);
  void serve(Worker& worker);

  std::vector<std::unique_ptr<Worker>> workers_;  // the first is the caller's
  std::vector<std::thread> threads_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable work_came_;
  std::condition_variable work_done_;
  const Work* work_ = nullptr;  // null: nothing to do
  size_t next_ = 0;             // first input nobody has taken
  size_t count_ = 0;
  int busy_ = 0;
  std::exception_ptr failure_;  // the first one
  bool stopping_ = false;
};

}  // namespace headroom
