// Fused attention of one query per head, which is all that [CLS] needs of the last layer. Separate
// products, softmax and transposed keys took five times as long, most of it around the arithmetic.
#pragma once

#include <cstdint>

#include "engine/kernels/head_attention.h"
#include "engine/kernels/simd/softmax.h"

namespace headroom::kernels::simd {
namespace {

// queries: H x 1 x W, keys and values: H x T x W, context: 1 x (H W).
template <class S>
class QueryAttention {
 public:
  explicit QueryAttention(const HeadAttentionCall& call)
      : call_(call),
        head_lanes_(call.width / 2),
        tokens_(call.tokens),
        probabilities_(reinterpret_cast<float*>(call.scratch)) {}

  void run() const {
    for (int64_t head = 0; head < call_.heads; ++head) {
      const int64_t first = head * call_.head_stride;
      score(lanes_of(call_.queries + first), lanes_of(call_.keys + first));
      if (call_.bias != nullptr) {
        const float* bias = call_.bias[head];
        for (int64_t k = 0; k < tokens_; ++k) probabilities_[k] += bias[k * call_.bias_stride];
      }
      float inverse_sum = 0;
      softmax<S>({probabilities_, tokens_, 1, tokens_, &inverse_sum});
      for (int64_t lane = 0; lane < head_lanes_; lane += S::lanes) {
        weigh_values(lanes_of(call_.values + first) + lane, inverse_sum,
                     head * call_.width + 2 * lane);
      }
    }
  }

 private:
  using Float = typename S::Float;
  using Bits = typename S::Bits;

  static const uint32_t* lanes_of(const uint16_t* elements) {
    return reinterpret_cast<const uint32_t*>(elements);
  }

  void score(const uint32_t* query, const uint32_t* keys) const {
    for (int64_t lane = 0; lane < head_lanes_; lane += S::lanes) {
      const Bits pairs = S::load_bits(query + lane);
      const Float low = S::low_bf16(pairs);
      const Float high = S::high_bf16(pairs);
      for (int64_t key = 0; key < tokens_; ++key) {
        const Bits other = S::load_bits(keys + key * head_lanes_ + lane);
        const Float product =
            S::fma(low, S::low_bf16(other), S::multiply(high, S::high_bf16(other)));
        probabilities_[key] = (lane > 0 ? probabilities_[key] : 0.0F) + S::reduce_add(product);
      }
    }
  }

  // A register of column pairs. Two accumulators each, because fma waits four cycles for its own
  // result.
  void weigh_values(const uint32_t* values, float inverse_sum, int64_t column) const {
    Float low[2] = {S::zero(), S::zero()};
    Float high[2] = {S::zero(), S::zero()};
    const auto add = [&](int64_t key, int i) {
      const Bits pairs = S::load_bits(values + key * head_lanes_);
      const Float p = S::broadcast(probabilities_[key]);
      low[i] = S::fma(S::low_bf16(pairs), p, low[i]);
      high[i] = S::fma(S::high_bf16(pairs), p, high[i]);
    };
    int64_t key = 0;
    for (; key + 2 <= tokens_; key += 2) {
      add(key, 0);
      add(key + 1, 1);
    }
    if (key < tokens_) add(key, 0);
    const Float scale = S::broadcast(inverse_sum);
    const Float even = S::multiply(S::add(low[0], low[1]), scale);
    const Float odd = S::multiply(S::add(high[0], high[1]), scale);
    if (call_.out == GemmOut::bf16) {
      S::store_bits(reinterpret_cast<float*>(static_cast<uint16_t*>(call_.context) + column),
                    S::pack_bf16(even, odd));
      return;
    }
    float columns[2][S::lanes];
    S::store(columns[0], even);
    S::store(columns[1], odd);
    float* to = static_cast<float*>(call_.context) + column;
    for (int64_t n = 0; n < 2 * S::lanes; ++n) to[n] = columns[n % 2][n / 2];
  }

  const HeadAttentionCall& call_;
  int64_t head_lanes_;  // W / 2
  int64_t tokens_;
  float* probabilities_;  // T, unnormalised; before softmax, scores
};

template <class S>
void attend_query(const HeadAttentionCall& call) {
  QueryAttention<S>(call).run();
}

}  // namespace
}  // namespace headroom::kernels::simd
