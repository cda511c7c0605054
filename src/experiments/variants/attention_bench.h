// Time of one attention layer of each kind, on the same kernels. No torch in this header.
#pragma once

#include <cstdint>
#include <vector>

#include "base/json.h"
#include "base/progress.h"

namespace headroom::experiments::variants {

struct AttentionBench {
  std::vector<int64_t> widths = {64, 128, 256};
  std::vector<double> tokens_per_width = {0.25, 0.5, 1, 1.5, 2, 3, 4};
  int rounds = 51;
  int warmup = 3;
};

// One thread, heads of 32 columns, one sequence; all kinds in every round (base/interleaved.h). A
// cell: width, tokens, attention, median_ms, over_standard (median of same-round ratios),
// macs_over_standard.
Json bench_attention(const AttentionBench& bench, ProgressSink& progress);

}  // namespace headroom::experiments::variants
