// Embedding of tokens.
#pragma once

#include <cstdint>

#include "engine/kernels/embed.h"
#include "engine/kernels/simd/registers.h"

namespace headroom::kernels::simd {
namespace {

// Rows of three tables, D wide; out: T x D.
template <class S>
void embed(const EmbedCall& call) {
  const int64_t width = call.width;
  for (int64_t t = 0; t < call.tokens; ++t) {
    const float* word = call.word_rows + call.ids[t] * width;
    const float* position = call.position_rows + t * call.position_stride;
    const float* type = call.type_rows + (call.types != nullptr ? call.types[t] : 0) * width;
    float* out = call.out + t * call.out_stride;
    for_each_register<S>(0, width, [&](int64_t i, auto lanes) {
      const auto sum = S::add(lanes.load(word + i), lanes.load(position + i));
      lanes.store(out + i, S::add(sum, lanes.load(type + i)));
    });
  }
}

}  // namespace
}  // namespace headroom::kernels::simd
