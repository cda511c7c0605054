// Fused attention of a layer's heads in bf16: scores, softmax and the product with the values in
// one kernel. H heads, Q queries, T keys and values, W head width.
#pragma once

#include <cstdint>

#include "engine/kernels/gemm.h"

namespace headroom {

// context[q, h] = softmax(queries[h, q] . keys[h]^T + bias[h, q]) values[h], exact to 2^-7 of the
// largest value.
struct HeadAttentionCall {
  const uint16_t* queries = nullptr;  // H x Q x W, already scaled by 1/sqrt(W)
  const uint16_t* keys = nullptr;     // H x T x W; readable up to a multiple of 16 rows
  const uint16_t* values = nullptr;   // H x T x W
  int64_t heads = 1;
  int64_t head_stride = 0;  // elements from a head's first row to the next head's, in all three
  int64_t width = 0;        // a multiple of 32
  int64_t query_count = 0;
  int64_t tokens = 0;
  void* context = nullptr;     // Q x (H W)
  int64_t context_stride = 0;  // elements
  GemmOut out = GemmOut::f32;  // type of `context`
  // Of each head, added to the score of query q and key k: bias[head][q + k * bias_stride].
  // Readable up to a multiple of 16 queries. Null: nothing is added.
  const float* const* bias = nullptr;
  int64_t bias_stride = 0;      // -1: what is added depends on q - k
  uint32_t* scratch = nullptr;  // head_scratch() lanes, aligned to a cache line
};

// Lanes of scratch that a kernel needs for up to so many keys, and any number of heads and queries.
constexpr int64_t head_scratch(int64_t tokens, int64_t width) {
  const int64_t rows = round_up(tokens, 2 * panel_width);
  const int64_t transposed = (panel_width + 2 * rows) * width / 2;  // queries, keys, values
  const int64_t scores = rows * panel_width * 3 / 2;  // and probabilities, half as large
  const int64_t results = (width + 2) * panel_width + 3 * panel_width * panel_width;
  const int64_t scales = 2 * rows + width + panel_width;  // of bytes
  return transposed + scores + results + scales;
}

}  // namespace headroom
