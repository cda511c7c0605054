// The forward pass: token ids to a head's outputs at a plan. What it does not compute: padding
// (sequences keep their lengths), attention heads and neurons that are not in the plan or that an
// adaptive model did not choose, and, from the last attention on, rows that the head does not read.
#pragma once

#include <cstdint>
#include <span>

#include "engine/arena.h"
#include "engine/encoder/text_threads.h"
#include "engine/encoder/workspace.h"
#include "engine/heads/head.h"
#include "engine/kernels/kernels.h"
#include "engine/plan.h"
#include "engine/weights.h"
#include "headroom/types.h"

namespace headroom {

class Encoder {
 public:
  // All must outlive the encoder.
  Encoder(const EngineWeights& weights, const Kernels& kernels, const Head& head)
      : weights_(weights), kernels_(kernels), head_(head) {}

  // Floats that run() writes for a sequence: the head's width for every row, or once.
  size_t outputs_of(const Tokens& sequence) const {
    const size_t rows = head_.rows() == Rows::all ? sequence.ids.size() : 1;
    return rows * static_cast<size_t>(head_.width());
  }

  // Writes the head's outputs, sequence after sequence. They have the same bits whatever else is in
  // the call, on any number of threads. Throws ErrorCode::usage for ids, types or lengths that the
  // model does not have.
  void run(std::span<const Tokens> sequences, const Plan& plan, std::span<float> outputs,
           Arena& arena, const TextThreads& threads = {}) const;

  // The same with a plan for every sequence. Neighbours that share one go through the last layers
  // together. `heads_run`, unless empty, gets how many heads ran for each sequence over all layers.
  void run(std::span<const Tokens> sequences, std::span<const Plan* const> plans,
           std::span<float> outputs, Arena& arena, std::span<int64_t> heads_run = {},
           const TextThreads& threads = {}) const;

 private:
  std::span<const Workspace> prepare(std::span<const Tokens> sequences, const TextThreads& threads,
                                     Arena& arena) const;
  // Returns where the next outputs go.
  float* run_alike(std::span<const Tokens> sequences, const Plan& plan, float* outputs,
                   std::span<const Workspace> works, std::span<int64_t> heads_run,
                   const TextThreads& threads) const;

  const EngineWeights& weights_;
  const Kernels& kernels_;
  const Head& head_;
};

}  // namespace headroom
