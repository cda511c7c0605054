// Attention of one query to each head's keys, for any instruction set: what the last layer needs.
// Products, softmax and turned keys apart took five times as long, most of it around the
// arithmetic.
#pragma once

#include <cstdint>

#include "engine/kernels/head_attention.h"
#include "engine/kernels/rows_simd.h"

namespace headroom {
namespace {

template <class S>
class QueryAttention {
 public:
  explicit QueryAttention(const HeadAttentionCall& call)
      : call_(call),
        units_(call.width / 2),
        tokens_(call.tokens),
        shares_(reinterpret_cast<float*>(call.scratch)) {}

  void run() const {
    for (int64_t head = 0; head < call_.heads; ++head) {
      const int64_t first = head * call_.head_stride;
      score(units_of(call_.queries + first), units_of(call_.keys + first));
      float inverse_sum = 0;
      softmax_simd<S>({shares_, tokens_, 1, tokens_, &inverse_sum});
      for (int64_t unit = 0; unit < units_; unit += S::lanes) {
        sum_values(units_of(call_.values + first) + unit, inverse_sum,
                   head * call_.width + 2 * unit);
      }
    }
  }

 private:
  using Float = typename S::Float;
  using Bits = typename S::Bits;

  static const uint32_t* units_of(const uint16_t* numbers) {
    return reinterpret_cast<const uint32_t*>(numbers);
  }

  void score(const uint32_t* query, const uint32_t* keys) const {
    for (int64_t unit = 0; unit < units_; unit += S::lanes) {
      const Bits pairs = S::load_bits(query + unit);
      const Float low = S::low_bf16(pairs);
      const Float high = S::high_bf16(pairs);
      for (int64_t key = 0; key < tokens_; ++key) {
        const Bits other = S::load_bits(keys + key * units_ + unit);
        const Float product =
            S::multiply_add(low, S::low_bf16(other), S::multiply(high, S::high_bf16(other)));
        shares_[key] = (unit > 0 ? shares_[key] : 0.0F) + S::sum(product);
      }
    }
  }

  // A register of pairs; two sums for each half, because each waits four cycles for itself.
  void sum_values(const uint32_t* values, float factor, int64_t column) const {
    Float low[2] = {S::zero(), S::zero()};
    Float high[2] = {S::zero(), S::zero()};
    const auto add = [&](int64_t key, int i) {
      const Bits pairs = S::load_bits(values + key * units_);
      const Float share = S::spread(shares_[key]);
      low[i] = S::multiply_add(S::low_bf16(pairs), share, low[i]);
      high[i] = S::multiply_add(S::high_bf16(pairs), share, high[i]);
    };
    int64_t key = 0;
    for (; key + 2 <= tokens_; key += 2) {
      add(key, 0);
      add(key + 1, 1);
    }
    if (key < tokens_) add(key, 0);
    const Float scale = S::spread(factor);
    const Float even = S::multiply(S::add(low[0], low[1]), scale);
    const Float odd = S::multiply(S::add(high[0], high[1]), scale);
    if (call_.out == GemmOut::bf16) {
      S::store_bits(reinterpret_cast<float*>(static_cast<uint16_t*>(call_.context) + column),
                    S::bf16_pairs(even, odd));
      return;
    }
    float halves[2][S::lanes];
    S::store(halves[0], even);
    S::store(halves[1], odd);
    float* to = static_cast<float*>(call_.context) + column;
    for (int64_t n = 0; n < 2 * S::lanes; ++n) to[n] = halves[n % 2][n / 2];
  }

  const HeadAttentionCall& call_;
  int64_t units_;  // of a row
  int64_t tokens_;
  float* shares_;  // before that, scores
};

template <class S>
void attend_query_simd(const HeadAttentionCall& call) {
  QueryAttention<S>(call).run();
}

}  // namespace
}  // namespace headroom
