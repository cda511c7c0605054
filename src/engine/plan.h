// A selection in the terms of the packed weights: which panels and rows each layer uses. Holds no
// weights, so switching budgets copies nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "budget/head_choice.h"
#include "budget/selection.h"
#include "engine/kernels/gemm.h"
#include "engine/weights.h"

namespace headroom {

// The heads of one layer, wherever they are listed.
struct HeadSet {
  std::span<const int32_t> heads;
  std::span<const int32_t> slots;
  std::span<const GemmSegment> output_segments;
};

struct LayerPlan {
  std::vector<int32_t> heads;  // kept, ascending, in the full model; none: attention is skipped
  std::vector<int32_t> slots;  // where the weights hold them: the same unless the model is compact
  std::vector<GemmSegment> output_segments;  // their rows of the output projection, in lanes
  int64_t ffn = 0;                           // first neurons; 0: the FFN is skipped

  HeadSet head_set() const { return {heads, slots, output_segments}; }
};

struct Plan {
  std::vector<LayerPlan> layers;
  // The last layer with heads. Only its [CLS] query, and behind it only [CLS], reach the answer;
  // -1 when no layer mixes tokens.
  int64_t last_attention = -1;
  double active_heads = 0;  // share of all heads
  double active_ffn = 0;    // share of all neurons
  double macs_a_token = 0;  // of linear layers: what a text's threads are chosen by
  // Adaptive models: what is left of the choice that every sequence's controllers make. Layers then
  // list all heads, of which they choose.
  std::optional<HeadLimit> limit;
};

// Writes the rows of the output projection that belong to heads in these ascending slots,
// `head_lanes` lanes each; returns how many ranges there are. Neighbours become one.
int64_t output_segments(std::span<const int32_t> slots, int64_t head_lanes, GemmSegment* segments);

// `selection` must be one of this model (layers, heads and neurons within its shape): otherwise
// ErrorCode::usage.
Plan make_plan(const EngineWeights& weights, const Selection& selection);

}  // namespace headroom
