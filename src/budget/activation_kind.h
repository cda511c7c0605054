// The functions between the two matrices of an FFN and of a classifier's head, under the names that
// config.json has for them.
#pragma once

#include <string_view>

#include "base/enum_table.h"

namespace headroom {

enum class ActivationKind {
  gelu,        // x * P(N(0,1) <= x)
  gelu_tanh,   // GELU with its distribution approximated by tanh
  quick_gelu,  // GELU with its distribution approximated by a sigmoid
  silu,
  relu,
  tanh,  // heads only
};

// What an FFN may have. A kind's first name is the one that is written.
inline constexpr auto activation_table =
    enum_table<ActivationKind>("activation", {{ActivationKind::gelu, "gelu"},
                                              {ActivationKind::gelu, "gelu_python"},
                                              {ActivationKind::gelu_tanh, "gelu_new"},
                                              {ActivationKind::gelu_tanh, "gelu_pytorch_tanh"},
                                              {ActivationKind::gelu_tanh, "gelu_fast"},
                                              {ActivationKind::quick_gelu, "quick_gelu"},
                                              {ActivationKind::silu, "silu"},
                                              {ActivationKind::silu, "swish"},
                                              {ActivationKind::relu, "relu"}});
constexpr std::string_view activation_name(ActivationKind kind) {
  return activation_table.name(kind);
}

// x * sigmoid(x * (slope + cubic * x^2)), which three of them are: tanh(u) is 2 sigmoid(2u) - 1, so
// gelu_tanh's 1/2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) has twice that root as its slope.
struct SigmoidGate {
  float slope = 0;  // 0: not one of them
  float cubic = 0;
};
constexpr SigmoidGate sigmoid_gate(ActivationKind kind) {
  if (kind == ActivationKind::silu) return {1.0F, 0.0F};
  if (kind == ActivationKind::quick_gelu) return {1.702F, 0.0F};
  if (kind == ActivationKind::gelu_tanh) return {1.5957691216F, 0.0713548163F};
  return {};
}

}  // namespace headroom
