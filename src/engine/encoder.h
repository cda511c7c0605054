// The forward pass: token ids to logits at a plan. What it does not compute: padding (sequences
// keep their lengths), heads and neurons that are not in the plan or that an adaptive model did not
// choose, and, from the last attention on, every row but [CLS].
#pragma once

#include <cstdint>
#include <span>

#include "engine/arena.h"
#include "engine/kernels/kernels.h"
#include "engine/plan.h"
#include "engine/weights.h"
#include "engine/workspace.h"
#include "headroom/types.h"

namespace headroom {

class Encoder {
 public:
  // Both must outlive the encoder.
  Encoder(const EngineWeights& weights, const Kernels& kernels)
      : weights_(weights), kernels_(kernels) {}

  // `logits` has a row of shape.labels for every sequence. A sequence's row has the same bits
  // whatever else is in the call. Throws ErrorCode::usage for ids, types or lengths that the model
  // does not have.
  void run(std::span<const Tokens> sequences, const Plan& plan, std::span<float> logits,
           Arena& arena) const;

  // The same with a plan for every sequence. Neighbours that share one go through the last layers
  // together. `heads_run`, unless empty, gets how many heads ran for each sequence over all layers.
  void run(std::span<const Tokens> sequences, std::span<const Plan* const> plans,
           std::span<float> logits, Arena& arena, std::span<int64_t> heads_run = {}) const;

 private:
  Workspace prepare(std::span<const Tokens> sequences, Arena& arena) const;
  void run_alike(std::span<const Tokens> sequences, const Plan& plan, float* logits,
                 const Workspace& work, std::span<int64_t> heads_run) const;

  const EngineWeights& weights_;
  const Kernels& kernels_;
};

}  // namespace headroom
