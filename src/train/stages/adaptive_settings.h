// How a model learns to choose heads per input: what the loss weighs and how that changes on the
// way. The paper (arXiv 2604.22583) names the terms and the interval of s; the weights and
// schedules are ours (docs/adaptive.md). Every number is an option of `train`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace headroom {
inline namespace train {

// A number that goes from `first` to `last` in a straight line between two points of a stage, each
// a share of it, and stays there.
struct Ramp {
  double first = 0;
  double last = 0;
  double begin = 0;
  double end = 1;

  double at(double progress) const {
    if (progress >= end) return last;
    if (progress <= begin) return first;
    return first + (last - first) * (progress - begin) / (end - begin);
  }
};

struct AdaptiveSettings {
  int64_t hidden = 0;                       // width of the controllers; 0: a quarter of the model's
  double initial_share = 0.7;               // s of every input before training
  Ramp temperature = {2.0, 0.5, 0.0, 0.7};  // tau of q
  Ramp noise = {1.0, 0.0, 0.0, 0.7};        // Gumbel noise on z, times this
  Ramp entropy_weight = {0.01, -0.01, 0.0, 1.0};  // rewards the entropy of q, then penalises it
  Ramp share_weight = {0.0, 0.05, 0.3, 0.6};      // on the mean s: what heads cost
  Ramp hard = {0.0, 1.0, 0.5, 0.9};               // how often whole heads instead of soft factors
  double hinge_weight = 1.0;                      // on s outside [share_low, share_high]
  double share_low = 0.1;
  double share_high = 0.9;
  double distill_weight = 0.0;  // share of the loss that follows the model the stage began with
  bool gates = false;           // train P1's gates too, for budgets that cap the choice

  // Controls, for experiments: s as this number, heads at random, or so many heads.
  std::optional<double> fixed_share;
  bool random_heads = false;
  std::vector<double> heads_per_layer;  // on average, mixing floor and ceiling; empty: as s says
};

}  // namespace train
}  // namespace headroom
