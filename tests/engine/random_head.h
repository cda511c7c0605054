// Fused attention of some heads on random elements, for tests that compare two kernels.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "base/random.h"
#include "engine/aligned_buffer.h"
#include "engine/kernels/kernels.h"

namespace headroom::testing {

// Around full tiles.
inline constexpr int64_t head_lengths[] = {1, 2, 5, 15, 16, 17, 31, 32, 33, 47, 64, 100};

// Fewer than the kernel has under way at once, and more.
inline constexpr int64_t head_counts[] = {1, 2, 3, 8};

// Queries, keys and values of some heads, with rows to read behind the last key.
struct Heads {
  Heads(Random& random, int64_t heads, int64_t query_count, int64_t tokens, int64_t width)
      : queries(random_bf16(random, heads * tokens * width)),
        keys(random_bf16(random, ((heads - 1) * tokens + round_up(tokens, panel_width)) * width)),
        values(random_bf16(random, heads * tokens * width)),
        scratch(static_cast<size_t>(head_scratch(tokens, width)) * 4) {
    call.queries = queries.data();
    call.keys = keys.data();
    call.values = values.data();
    call.heads = heads;
    call.head_stride = tokens * width;
    call.width = width;
    call.query_count = query_count;
    call.tokens = tokens;
    call.context_stride = heads * width + 16;
    call.scratch = reinterpret_cast<uint32_t*>(scratch.data());
  }

  // A bias of every head that depends on the distance of query and key.
  void add_bias(Random& random) {
    const int64_t stride = 2 * call.tokens + panel_width;
    for (int64_t i = 0; i < call.heads * stride; ++i) {
      biases.push_back(static_cast<float>(random.normal()));
    }
    for (int64_t head = 0; head < call.heads; ++head) {
      bias_rows.push_back(biases.data() + head * stride + call.tokens);
    }
    call.bias = bias_rows.data();
    call.bias_stride = -1;
  }

  static std::vector<uint16_t> random_bf16(Random& random, int64_t count) {
    std::vector<uint16_t> elements(static_cast<size_t>(count));
    for (uint16_t& element : elements) {
      const auto value = static_cast<float>(2 * random.uniform() - 1);
      kernels::reference_table().round_to_bf16(&value, &element, 1);
    }
    return elements;
  }

  template <class Element>
  std::vector<Element> result(GemmOut out, decltype(Kernels::attend_heads) kernel) {
    std::vector<Element> context(static_cast<size_t>(call.query_count * call.context_stride));
    call.context = context.data();
    call.out = out;
    std::memset(scratch.data(), 0xff, scratch.size());  // NaN, if it is read before it is written
    kernel(call);
    return context;
  }

  std::vector<uint16_t> queries;
  std::vector<uint16_t> keys;
  std::vector<uint16_t> values;
  std::vector<float> biases;
  std::vector<const float*> bias_rows;
  AlignedBuffer scratch;
  HeadAttentionCall call;
};

// NaN must reach the scores, where it is an error: bytes and maxima would lose it. Both elements of
// a lane, because a vector holds them apart; then a bias.
inline void expect_nan_kept(decltype(Kernels::attend_heads) fast, int64_t queries = 5) {
  Random random{18};
  const int64_t last = queries - 1;
  for (const int64_t tokens : {5, 32, 40}) {
    const auto expect_nan = [&](Heads& heads, int64_t column) {
      const auto context = heads.result<float>(GemmOut::f32, fast);
      const int64_t at = last * heads.call.context_stride + column;
      EXPECT_TRUE(std::isnan(context[static_cast<size_t>(at)]));
    };
    for (const uint16_t bad : {uint16_t{0x7fc0}, uint16_t{0xffc0}, uint16_t{0x7fff}}) {
      for (const auto part : {&Heads::queries, &Heads::keys, &Heads::values}) {
        for (const int64_t column : {6, 7}) {
          SCOPED_TRACE(fmt::format("{:x} at {} of {} tokens", bad, column, tokens));
          Heads heads(random, 1, queries, tokens, 32);
          (heads.*part)[static_cast<size_t>(last * 32 + column)] = bad;
          expect_nan(heads, column);
        }
      }
    }
    SCOPED_TRACE(fmt::format("a bias of {} tokens", tokens));
    Heads heads(random, 1, queries, tokens, 32);
    heads.add_bias(random);
    heads.biases[static_cast<size_t>(tokens + last - 2)] = std::numeric_limits<float>::quiet_NaN();
    expect_nan(heads, 7);
  }
}

}  // namespace headroom::testing
