// Layer normalisation of rows, in place: (x - mean) / sqrt(variance + eps) * weight + bias.
#pragma once

#include <cstdint>

namespace headroom {

struct LayerNormCall {
  float* x = nullptr;
  int64_t stride = 0;
  int64_t rows = 0;
  int64_t width = 0;
  const float* weight = nullptr;
  const float* bias = nullptr;
  float eps = 0;
  uint16_t* copy = nullptr;  // if not null: the result rounded to bfloat16 as well
  int64_t copy_stride = 0;
};

void layer_norm_reference(const LayerNormCall& call);

}  // namespace headroom
