// How one text is split over threads: attention by heads, and what follows it in a layer by rows
// where there are enough of them, otherwise step by step, products by panels and the rest by rows.
// No element's bits depend on what it is computed with, so a text has the same answer on any number
// of threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "engine/encoder/workspace.h"
#include "engine/kernels/gemm.h"
#include "engine/plan.h"
#include "engine/thread_pool.h"
#include "engine/weights.h"

namespace headroom {

// The threads that a text may have, and what each must have to do.
struct TextThreads {
  ThreadPool* pool = nullptr;  // null: the caller's alone
  int64_t least_rows = 32;
  // In a layer, with fp32; four times as many otherwise, because they take that much less time. Two
  // threads with 25 million each (4 x 256, 64 tokens) gain 1.75 with fp32 and 1.0 to 1.2 with bf16.
  double least_macs = 1e7;
  // Of a layer's weights, for each row that a thread has: up to that many it takes its rows through
  // the layer (Shares::split_rows).
  double most_bytes_a_row = 96 << 10;

  // The most of a text of so many tokens at any budget.
  int most(int64_t tokens) const {
    if (pool == nullptr) return 1;
    return static_cast<int>(std::clamp<int64_t>(tokens / least_rows, 1, pool->threads()));
  }

  int at(const EngineWeights& weights, const Plan& plan, int64_t tokens) const {
    const int most_threads = most(tokens);
    if (most_threads == 1 || least_macs <= 0) return most_threads;
    const double macs = static_cast<double>(tokens) * plan.macs_a_token;
    const double least = least_macs * (weights.precision == Precision::fp32 ? 1 : 4);
    const double layers = static_cast<double>(weights.shape.layers);
    return static_cast<int>(std::clamp<double>(macs / layers / least, 1, most_threads));
  }
};

struct IndexRange {
  int64_t begin = 0;
  int64_t end = 0;

  int64_t count() const { return end - begin; }
};

// The index-th of `count` parts of [0, size), which start with multiples of `unit`.
inline IndexRange part_of(int64_t size, int64_t unit, int64_t index, int64_t count) {
  const int64_t units = round_up(size, unit) / unit;
  return {units * index / count * unit, std::min(size, units * (index + 1) / count * unit)};
}

// Parts start with full tiles, and with cache lines of their own, of int8's scales too.
inline constexpr int64_t row_unit = 16;
inline constexpr int64_t panel_unit = 2;

// A text's threads, each with a workspace. A step returns when all of its parts are done.
class Shares {
 public:
  Shares(std::span<const Workspace> works, const TextThreads& threads)
      : works_(works), pool_(threads.pool), most_bytes_a_row_(threads.most_bytes_a_row) {}

  // work(part, its workspace) for parts of [0, size).
  template <typename RangeWork>
  void by_range(int64_t size, int64_t unit, const RangeWork& work) const {
    const int64_t parts = std::clamp<int64_t>(round_up(size, unit) / unit, 1, threads());
    run(parts,
        [&](int index, const Workspace& own) { work(part_of(size, unit, index, parts), own); });
  }

  // Whether each share had better take its rows of a text through all of a layer but attention.
  // Rows stay in their core's cache then, and shares wait for each other twice a layer instead of
  // eight times, but every share reads all weights. With two threads on 128 tokens, 6 x 384 in bf16
  // (55 KB of a layer's weights a row) gains more by rows, 12 x 768 in int8 (110 KB) by panels.
  bool split_rows(int64_t rows, double weight_bytes) const {
    const int64_t own = rows / threads();
    return threads() > 1 && own >= 2 * row_unit &&
           weight_bytes <= most_bytes_a_row_ * static_cast<double>(own);
  }

 private:
  int64_t threads() const { return static_cast<int64_t>(works_.size()); }

  template <typename Work>
  void run(int64_t parts, const Work& work) const {
    if (parts <= 1) {
      work(0, works_[0]);
      return;
    }
    pool_->for_each(static_cast<int>(parts),
                    [&](int index) { work(index, works_[static_cast<size_t>(index)]); });
  }

  std::span<const Workspace> works_;
  ThreadPool* pool_;
  double most_bytes_a_row_;
};

}  // namespace headroom
