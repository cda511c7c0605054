#include "train/loop/adamw.h"

#include <cmath>

namespace headroom {
inline namespace train {
namespace {

struct Factors {  // everything of an update that does not depend on the element
  float beta1, beta2, rest1, rest2, rate, decay, inverse_correction2, epsilon;
};

Factors factors_for(const ParameterGroup& group, const AdamWSettings& settings,
                    double learning_rate, int64_t step) {
  const double rate = learning_rate * group.rate_factor;
  const double correction1 = 1.0 - std::pow(settings.beta1, static_cast<double>(step));
  const double correction2 = 1.0 - std::pow(settings.beta2, static_cast<double>(step));
  return {static_cast<float>(settings.beta1), static_cast<float>(settings.beta2),
          // 1 - beta in double: from a float 0.999 it would be off by 1e-5, and steps by half that.
          static_cast<float>(1.0 - settings.beta1), static_cast<float>(1.0 - settings.beta2),
          static_cast<float>(rate / correction1),
          static_cast<float>(1.0 - rate * group.weight_decay),
          static_cast<float>(1.0 / std::sqrt(correction2)), static_cast<float>(settings.epsilon)};
}

// min(1, clip / norm) as a tensor, so that a GPU is never waited for.
torch::Tensor clip_factor(const std::vector<ParameterGroup>& groups, double clip_norm) {
  torch::Tensor squares;
  for (const ParameterGroup& group : groups) {
    const torch::Tensor square = group.gradient.square().sum();
    squares = squares.defined() ? squares + square : square;
  }
  return torch::clamp_max(clip_norm / (squares.sqrt() + 1e-6), 1.0);
}

// Whole-buffer tensor operations, the same on CPU and GPU. A fused loop of our own (one pass
// instead of nine) was no faster on two CPU cores: 26.4 ms against 24.5 for 8.3 M parameters.
void update(ParameterGroup& group, const Factors& f, const torch::Tensor& clip) {
  const torch::Tensor g = clip.defined() ? group.gradient * clip : group.gradient;
  group.mean.mul_(f.beta1).add_(g, f.rest1);
  group.square.mul_(f.beta2).addcmul_(g, g, f.rest2);
  const torch::Tensor scale = group.square.sqrt().mul_(f.inverse_correction2).add_(f.epsilon);
  group.values.mul_(f.decay).addcdiv_(group.mean, scale, -f.rate);
}

}  // namespace

void adamw_step(std::vector<ParameterGroup>& groups, const AdamWSettings& settings,
                double learning_rate, int64_t step) {
  const torch::NoGradGuard no_gradients;
  const torch::Tensor clip =
      settings.clip_norm > 0 ? clip_factor(groups, settings.clip_norm) : torch::Tensor();
  for (ParameterGroup& group : groups) {
    update(group, factors_for(group, settings, learning_rate, step), clip);
  }
}

}  // namespace train
}  // namespace headroom
