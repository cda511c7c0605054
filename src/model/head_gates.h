// P1's gates as trainable tensors; budget/gates.h has the same arithmetic in plain doubles.
#pragma once

#include "budget/gates.h"
#include "model/torch.h"

namespace headroom {

struct HeadGates {
  torch::Tensor offset;  // (L, H)
  torch::Tensor slope;   // (1): shared, or (L, H): free

  // g(b), (L, H); budget 1 gives an undefined tensor: the bypass, exactly the dense model.
  torch::Tensor values(double budget) const;
  GateParameters parameters() const;
};

// Offsets drawn from normal(0, 0.1) to break ties, slopes such that softplus(slope) = 1: the mean
// gate then starts at the budget.
HeadGates fresh_gates(int64_t layers, int64_t heads, bool free_slopes, uint64_t seed,
                      torch::Device device);
HeadGates gates_from(const GateParameters& parameters, torch::Device device);

}  // namespace headroom
