#include "engine/worker_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/error.h"
#include "engine/workspace.h"

namespace headroom {

WorkerPool::WorkerPool(const std::shared_ptr<const EngineModel>& model, int threads) {
  if (threads < 1 || threads > most_threads) {
    throw Error(ErrorCode::usage, "start workers",
                fmt::format("{} threads, expected 1 to {}", threads, most_threads));
  }
  for (int i = 0; i < threads; ++i) workers_.push_back(std::make_unique<Worker>(model));
  for (size_t i = 1; i < workers_.size(); ++i) {
    threads_.emplace_back([this, i] { serve(*workers_[i]); });
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_came_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::serve(Worker& worker) {
  std::unique_lock lock(mutex_);
  while (true) {
    work_came_.wait(lock, [this] { return stopping_ || (work_ != nullptr && next_ < count_); });
    if (stopping_) return;
    take_parts(worker, lock);
  }
}

// How many inputs to take: several parts a worker, smaller ones towards the end, so that none waits
// long for the last; but no more [CLS] rows at once than go through the last layer together.
size_t WorkerPool::next_part() const {
  return std::clamp<size_t>((count_ - next_) / (workers_.size() * 4), 1,
                            static_cast<size_t>(tail_rows));
}

// Takes parts until none is left. `lock` is held on entry and on return.
void WorkerPool::take_parts(Worker& worker, std::unique_lock<std::mutex>& lock) {
  ++busy_;
  while (next_ < count_) {
    const size_t begin = next_;
    const size_t end = begin + next_part();
    next_ = end;
    const Work& work = *work_;
    lock.unlock();
    std::exception_ptr failure;
    try {
      work(worker, begin, end);
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

void WorkerPool::share(size_t count, const Work& work) {
  std::unique_lock lock(mutex_);
  work_ = &work;
  next_ = 0;
  count_ = count;
  failure_ = nullptr;
  if (count > 1) work_came_.notify_all();
  take_parts(*workers_[0], lock);
  work_done_.wait(lock, [this] { return busy_ == 0; });
  work_ = nullptr;
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

template <typename Input>
std::vector<Answer> WorkerPool::split(std::span<const Input> inputs,
                                      std::span<const double> budgets) {
  const auto started = std::chrono::steady_clock::now();
  if (workers_.size() == 1) return workers_[0]->classify(inputs, budgets);
  std::vector<Answer> answers(inputs.size());
  share(inputs.size(), [&](Worker& worker, size_t begin, size_t end) {
    std::vector<Answer> part =
        worker.classify(inputs.subspan(begin, end - begin), budgets.subspan(begin, end - begin));
    std::move(part.begin(), part.end(), answers.begin() + static_cast<ptrdiff_t>(begin));
  });
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - started;
  for (Answer& answer : answers) answer.milliseconds = elapsed.count();
  return answers;
}

std::vector<Answer> WorkerPool::classify(std::span<const Text> inputs, double budget) {
  return split<Text>(inputs, std::vector<double>(inputs.size(), budget));
}

std::vector<Answer> WorkerPool::classify(std::span<const Tokens> inputs, double budget) {
  return split<Tokens>(inputs, std::vector<double>(inputs.size(), budget));
}

std::vector<Answer> WorkerPool::classify(std::span<const Text> inputs,
                                         std::span<const double> budgets) {
  return split(inputs, budgets);
}

std::vector<Answer> WorkerPool::classify(std::span<const Tokens> inputs,
                                         std::span<const double> budgets) {
  return split(inputs, budgets);
}

}  // namespace headroom
