// Attention of one sequence: from the residual stream to the heads' weighted sums, without the
// output projection.
#pragma once

#include <cstdint>

#include "engine/kernels/kernels.h"
#include "engine/plan.h"
#include "engine/weights.h"
#include "engine/workspace.h"

namespace headroom {

// In what attention's own products multiply. bf16: in bf16 too. int8: scores and weighted sums in
// bytes would need scales of their own; bfloat16 is the next best where the CPU multiplies it.
Precision attention_precision(Precision linear, Isa isa);

// Whether the kernels have one for all heads of this (padded) width and several queries.
bool attends_in_one_kernel(const Kernels& kernels, Precision attention, int64_t head_width);

// Writes `context` rows for the first `queries` of the sequence's `tokens` tokens, which all are
// keys and values. The heads lie side by side.
void attend(const EngineWeights& weights, const PackedLayer& layer, const HeadSet& heads,
            const Kernels& kernels, const Workspace& work, int64_t tokens, int64_t queries,
            const Activation& context);

}  // namespace headroom
