// Softmax without its last pass: the division is left to the product that reads the rows next.
#pragma once

#include <cstdint>

namespace headroom {

// Each row's first `length` scores x become exp(x - max); inverse_sums[row] is one over their sum.
// What follows them in the row is not touched.
struct SoftmaxCall {
  float* x = nullptr;  // rows x length
  int64_t stride = 0;
  int64_t rows = 0;
  int64_t length = 0;
  float* inverse_sums = nullptr;
  // Not null: the results go here instead, as bf16, with a 0 after an odd length. They and the sums
  // have a relative error of 2^-13, or an absolute one of 1e-37.
  uint16_t* bf16 = nullptr;
  int64_t bf16_stride = 0;
};

}  // namespace headroom
