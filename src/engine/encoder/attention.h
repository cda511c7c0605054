// Attention of one sequence of T tokens: from the residual stream, T x D, to the heads' weighted
// sums, without the output projection.
#pragma once

#include <cstdint>

#include "engine/encoder/workspace.h"
#include "engine/kernels/kernels.h"
#include "engine/plan.h"
#include "engine/weights.h"

namespace headroom {

// How a model with linear layers of this precision and heads of this (padded) width attends. int8:
// in bf16 where the CPU has products of it, or in a kernel that makes bytes of bf16.
AttentionMode attention_mode(Precision linear, const Kernels& kernels, int64_t head_width);

// Writes `context`, queries x (H W), for the first `queries` of the sequence's `tokens` tokens, all
// of which are keys and values within the layer's window. `input` is the stream, or its normalised
// copy.
void attend(const EngineWeights& weights, const PackedLayer& layer, const HeadSet& heads,
            const Kernels& kernels, const Workspace& work, const Stream& input, int64_t tokens,
            int64_t queries, const Activation& context);

}  // namespace headroom
