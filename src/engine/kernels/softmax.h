// Softmax without its last pass: the division is left to whoever reads the rows next.
#pragma once

#include <cstdint>

namespace headroom {

// Each row's first `length` values x become exp(x - largest); inverse_sums[row] is one over their
// sum. What lies behind them stays.
struct SoftmaxCall {
  float* rows = nullptr;
  int64_t stride = 0;
  int64_t count = 0;
  int64_t length = 0;
  float* inverse_sums = nullptr;
  // Not null: the results go here instead, rounded to bfloat16, with a 0 behind an odd length. They
  // and the sums are exact to 2^-13 of themselves, or to 1e-37.
  uint16_t* rounded = nullptr;
  int64_t rounded_stride = 0;
};
void softmax_reference(const SoftmaxCall& call);

}  // namespace headroom
