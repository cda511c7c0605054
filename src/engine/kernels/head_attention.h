// Attention of a layer's heads in one kernel, in bfloat16.
#pragma once

#include <cstdint>

#include "engine/kernels/gemm.h"

namespace headroom {

// For each head, context[q] = sum over k of softmax(queries[q] . keys)[k] * values[k]. Shares and
// results are exact to 2^-7 of the largest value.
struct HeadAttentionCall {
  const uint16_t* queries = nullptr;  // rows of `width` bfloat16, scaled; head after head
  const uint16_t* keys = nullptr;     // whole tiles of 16 rows can be read
  const uint16_t* values = nullptr;
  int64_t heads = 1;
  int64_t head_stride = 0;  // numbers from a head's first row to the next one's, in all three
  int64_t width = 0;        // of a head: a multiple of 32
  int64_t query_count = 0;
  int64_t tokens = 0;           // keys and values
  void* context = nullptr;      // a row for each query, heads side by side
  int64_t context_stride = 0;   // elements
  GemmOut out = GemmOut::f32;   // what `context` is made of
  uint32_t* scratch = nullptr;  // head_scratch() units, at a cache line
};
void attend_heads_reference(const HeadAttentionCall& call);

// Of a kernel's `scratch` for up to so many keys and any number of heads and queries.
constexpr int64_t head_scratch(int64_t tokens, int64_t width) {
  const int64_t rows = round_up(tokens, 2 * panel_width);
  const int64_t turned = (panel_width + rows) * width / 2;  // queries, and values
  const int64_t scores = rows * panel_width * 3 / 2;        // and shares, half as large
  const int64_t results = (width + 2) * panel_width + 3 * panel_width * panel_width;
  return turned + scores + results;
}

}  // namespace headroom
