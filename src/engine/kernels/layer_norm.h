// Layer normalisation of rows: (x - mean) / sqrt(variance + eps) * weight + bias.
#pragma once

#include <cstdint>

namespace headroom {

struct LayerNormCall {
  float* x = nullptr;  // rows x width: the result
  int64_t stride = 0;
  int64_t rows = 0;
  int64_t width = 0;
  const float* weight = nullptr;  // width
  const float* bias = nullptr;    // width
  float eps = 0;
  uint16_t* bf16 = nullptr;  // not null: the result as bf16 as well
  int64_t bf16_stride = 0;
  const float* in = nullptr;  // rows like x; null: x, in place
};

}  // namespace headroom
