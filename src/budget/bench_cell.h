// What bench measures: one model at several budgets, lengths and batch sizes.
#pragma once

#include <cstdint>
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
  std::vector<std::string> precisions = {"fp32"};
  int threads = 1;
  int warmup = 3;
  int rounds = 21;
  uint64_t seed = 1;  // of the round order and the token ids
  std::string device = "cpu";
  bool cuda_graphs = false;  // the whole forward pass as one launch
};

struct BenchCell {
  std::string engine;  // "native", "torch", "torch with CUDA graphs"
  std::string precision = "fp32";
  double budget = 1;       // of an automatic one the mean that was spent
  bool automatic = false;  // --budgets auto
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

Json to_json(const BenchCell& cell);

// None of the cells of a bench: one a precision, batch size and length.
ProgressUpdate bench_progress(const BenchSettings& settings);

// Ascending, without repeats, with 1 last: every speed-up is over budget 1.
std::vector<double> benched_budgets(std::vector<double> budgets);

// Throws ErrorCode::usage when a length is more than the model reads.
void check_lengths(const std::vector<int64_t>& lengths, const ModelShape& shape);

// `count` token ids of [0, vocabulary), a function of the seed.
std::vector<int32_t> random_ids(int64_t vocabulary, int64_t count, uint64_t seed);

// Fills in what follows from the times of one budget and those of budget 1 in the same rounds.
void set_times(BenchCell& cell, const std::vector<double>& times, const std::vector<double>& dense);
void set_cost(BenchCell& cell, const ModelShape& shape, const Selection& selection);

}  // namespace headroom
