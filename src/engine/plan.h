// A selection in the terms of the packed weights: which panels and rows each layer uses. Holds no
// weights, so switching budgets copies nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "budget/selection.h"
#include "engine/kernels/gemm.h"
#include "engine/weights.h"

namespace headroom {

struct LayerPlan {
  std::vector<int32_t> heads;   // kept, ascending, in the whole model; none: attention is skipped
  std::vector<int32_t> places;  // where the weights hold them: the same unless the model is compact
  std::vector<GemmSegment> output_segments;  // their rows of the output projection, in units
  int64_t ffn = 0;                           // first neurons; 0: the FFN is skipped
};

struct Plan {
  std::vector<LayerPlan> layers;
  // The last layer with heads. Only its [CLS] query, and behind it only [CLS], reach the answer;
  // -1 when no layer mixes tokens.
  int64_t last_attention = -1;
  double active_heads = 0;  // share of all heads
  double active_ffn = 0;    // share of all neurons
};

// `selection` must be one of this model (layers, heads and neurons within its shape): otherwise
// ErrorCode::usage.
Plan make_plan(const EngineWeights& weights, const Selection& selection);

}  // namespace headroom
