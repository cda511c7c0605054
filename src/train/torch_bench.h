// Latency of the torch engine, dense and sliced, measured so that the ratio can be trusted: every
// budget is run in every round, in shuffled order, and a speed-up is the median of same-round
// ratios. Shared machines drift by a quarter between minutes; ratios within a round do not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/progress.h"
#include "budget/selection.h"
#include "budget/shape.h"

namespace headroom {

struct BenchSettings {
  std::vector<double> budgets = {0.25, 0.5, 0.75, 1.0};  // 1 is added when missing
  std::vector<int64_t> batches = {1, 32};
  std::vector<int64_t> tokens = {32, 128};
  int threads = 1;
  int warmup = 3;
  int rounds = 21;
  uint64_t seed = 1;  // of the round order and the token ids
};

struct BenchCell {
  double budget = 1;
  int64_t batch = 1;
  int64_t tokens = 0;
  int threads = 1;
  double median_ms = 0;
  double p10_ms = 0;
  double p90_ms = 0;
  double speedup = 1;        // over budget 1: the median of same-round ratios
  double macs_fraction = 1;  // whole-model MACs over dense
  double cap = 1;            // Amdahl's bound on the speed-up for this length
  double tokens_per_second = 0;
};

Json to_json(const BenchCell& cell);  // with "engine": "torch", "precision": "fp32"

// A checkpoint's weights at its own selections.
std::vector<BenchCell> bench_checkpoint(const std::filesystem::path& model,
                                        const BenchSettings& settings, ProgressSink& progress);

// Fresh weights of a shape at given selections: time does not depend on the values.
std::vector<BenchCell> bench_shape(const ModelShape& shape,
                                   const std::function<Selection(double)>& select,
                                   const BenchSettings& settings, ProgressSink& progress);

}  // namespace headroom
