// Softmax without its last pass: the division is left to whoever reads the rows next.
#pragma once

#include <cstdint>

namespace headroom {

// Each row's first `length` values x become exp(x - largest); inverse_sums[row] is one over their
// sum. What lies behind them stays.
void softmax_reference(float* rows, int64_t stride, int64_t count, int64_t length,
                       float* inverse_sums);

}  // namespace headroom
