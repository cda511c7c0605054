// Dynamic quantisation of activations, row by row, to what the int8 product reads as A.
#pragma once

#include <cstdint>

namespace headroom {

// A row's scale is its largest magnitude / 127; each element becomes round(x / scale) + 128. Bytes
// from `width` to `padded` become 128, which stands for 0. The scale of a row with NaN is NaN.
struct QuantiseCall {
  const float* from = nullptr;  // rows x width
  int64_t from_stride = 0;
  int64_t rows = 0;
  int64_t width = 0;
  int64_t padded = 0;
  uint8_t* to = nullptr;  // rows x padded
  int64_t to_stride = 0;
  float* scales = nullptr;  // rows
};

}  // namespace headroom
