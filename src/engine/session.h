// Texts in, answers out: tokenise, choose each text's budget, run, answer. The command line, the
// server, the C++ API and Python all enter the engine here. Any number of threads may call one.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "budget/latency_table.h"
#include "engine/ladder/ladder.h"
#include "engine/model.h"
#include "engine/thread_pool.h"
#include "engine/worker.h"
#include "headroom/types.h"

namespace headroom {

class Session {
 public:
  // Texts that are best run together: their last layers share one pass over the weights.
  static constexpr size_t batch = tail_rows;

  // `threads` split a call, by text; one text has all of them to itself, unless it is short or
  // another call runs. At least 1. Without `splits_calls` that is all they are for: many threads
  // call, each with its own texts.
  explicit Session(std::shared_ptr<const EngineModel> model, int threads = 1,
                   std::optional<LatencyTable> table = {}, bool splits_calls = true);

  // A budget for each input, or one for all. An input gets the same bits alone and among others, at
  // any number of threads. Throws ErrorCode::bad_data when a text is not UTF-8, ErrorCode::usage
  // for a budget or tokens that the model does not have.
  std::vector<Answer> run(std::span<const Text> texts, std::span<const Budget> budgets);
  // `level`: of the policy, for automatic budgets; none: the one that was promised.
  std::vector<Answer> run(std::span<const Tokens> inputs, std::span<const Budget> budgets,
                          std::optional<size_t> level = {});
  std::vector<Answer> run(std::span<const Text> texts, const Budget& budget) {
    return run(texts, std::span(&budget, 1));
  }
  std::vector<Answer> run(std::span<const Tokens> inputs, const Budget& budget) {
    return run(inputs, std::span(&budget, 1));
  }

  // How budgets run, automatic ones among them.
  Ladder ladder() const { return {*model_, table_ ? &*table_ : nullptr}; }

  // The share of the model that an input of so many tokens gets at a flat budget. Throws
  // ErrorCode::usage for a latency where this machine has no table, ErrorCode::target_unreachable
  // where no budget meets it.
  double fraction(const Budget& budget, int64_t tokens) const;

  const EngineModel& model() const { return *model_; }
  const std::optional<LatencyTable>& table() const { return table_; }

 private:
  template <typename Input>
  std::vector<Answer> split(std::span<const Input> inputs, std::span<const Budget> budgets,
                            std::optional<size_t> level);
  // `pool`: what each input is split over; null: the caller's thread alone.
  void run_part(std::span<const Tokens> inputs, std::span<const Budget> budgets,
                std::optional<size_t> level, ThreadPool* pool, Answer* answers);
  void run_part(std::span<const Text> texts, std::span<const Budget> budgets,
                std::optional<size_t> level, ThreadPool* pool, Answer* answers);

  // What waits for a caller: as many as were ever needed at once.
  template <typename Item>
  class Idle {
   public:
    template <typename Make>
    std::unique_ptr<Item> take(const Make& make) {
      {
        const std::lock_guard lock(mutex_);
        if (!items_.empty()) {
          std::unique_ptr<Item> item = std::move(items_.back());
          items_.pop_back();
          return item;
        }
      }
      return make();
    }
    void give(std::unique_ptr<Item> item) {
      const std::lock_guard lock(mutex_);
      items_.push_back(std::move(item));
    }

   private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<Item>> items_;
  };

  std::shared_ptr<const EngineModel> model_;
  int threads_;
  std::optional<LatencyTable> table_;
  bool splits_calls_;
  std::atomic<int> running_ = 0;  // calls
  Idle<Worker> workers_;
  Idle<ThreadPool> pools_;
};

// This machine's table in the checkpoint's latency.json, of one text on one thread: what a text has
// for certain, whatever else runs.
std::optional<LatencyTable> find_text_latencies(const std::filesystem::path& checkpoint,
                                                Precision precision);

}  // namespace headroom
