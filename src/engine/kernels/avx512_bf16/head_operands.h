// What fused attention multiplies, in bf16 or in bytes: how queries, keys and values are packed,
// and how scores become probabilities. Rows come in bf16.
//
// Bytes: queries and keys have a scale for each row, values one for each column. Queries are
// unsigned, with 128 added, for which every key's sum starts at -128 times the sum of its bytes.
// Probabilities are multiples of 1/255 of a query's largest; their sum is that of the bytes, so
// that they add up to 1.
//
// Products are in assembler: of the intrinsics g++ 12 makes a broadcast of its own for each one,
// copies all sums in every step and keeps two of them in memory, which takes 1.3 times as long.
#pragma once

#include <cstdint>

#include "engine/kernels/avx512/vector.h"
#include "engine/kernels/gemm.h"

namespace headroom::kernels::avx512_bf16 {
namespace {

using avx512::Vector;

// 2^x for x > -126, to 2^-13 of itself with four coefficients and 2^-9 with three. The exponent is
// added to the bits of the polynomial: VSCALEF would take two cycles of the units that products
// need.
template <int count>
[[gnu::always_inline]] inline __m512 exp2(__m512 x, const float (&c)[count]) {
  const __m512 shift = _mm512_set1_ps(12582912.0F);  // 1.5 * 2^23: integers are the lowest bits
  const __m512i n = _mm512_castps_si512(_mm512_add_ps(x, shift));
  const __m512 r = _mm512_reduce_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  __m512 sum = _mm512_set1_ps(c[count - 1]);
#pragma GCC unroll 4
  for (int i = count - 2; i >= 0; --i) sum = _mm512_fmadd_ps(sum, r, _mm512_set1_ps(c[i]));
  return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(sum), _mm512_slli_epi32(n, 23)));
}

// `count` rows of bf16, `lanes` lanes each without gaps, as a panel: lanes x 16, zeros where there
// is no row.
inline void transpose_rows(const uint16_t* rows, int64_t lanes, int64_t count, uint32_t* panel) {
  const auto* from = reinterpret_cast<const uint32_t*>(rows);
  if (count == panel_width) {
    for (int64_t lane = 0; lane < lanes; lane += panel_width) {
      Vector::transpose(reinterpret_cast<const float*>(from + lane), lanes,
                        reinterpret_cast<float*>(panel + lane * panel_width));
    }
    return;
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    for (int64_t i = 0; i < panel_width; ++i) {
      panel[lane * panel_width + i] = i < count ? from[i * lanes + lane] : 0;
    }
  }
}

struct Bf16Heads {
  using Sum = __m512;
  static constexpr int64_t elements = 2;  // of a lane
  static constexpr float exponent_of_largest = 0;
  static constexpr float least_exponent = -125;

  static __m512 zero() { return _mm512_setzero_ps(); }
  static __m512 start(const int32_t*) { return zero(); }
  static __m512 add_key(__m512 sum, __m512i queries, const uint32_t* key) {
    return add_value(sum, queries, key);
  }
  static __m512 add_value(__m512 sum, __m512i probabilities, const uint32_t* value) {
    asm("vdpbf16ps %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(probabilities), "m"(*value));
    return sum;
  }
  static __m512 score(__m512 sum, const float*) { return sum; }
  static __m512 query_scale(const float*) { return _mm512_set1_ps(1.0F); }
  static __m512 keep_nan(__m512 x, const float*) { return x; }
  static void finish_queries(uint32_t*, int64_t, float*) {}
  static void finish_keys(uint32_t*, int64_t, float*, int32_t*) {}

  // values: T x W as (T / 2) x W lanes of two tokens.
  static void pack_values(const uint16_t* values, int64_t tokens, int64_t width, uint32_t* to,
                          float*) {
    alignas(64) static constexpr uint16_t none[panel_width] = {};
    for (int64_t t = 0; t < tokens; t += 2) {
      for (int64_t n = 0; n < width; n += panel_width) {
        const uint16_t* first = values + t * width + n;
        const __m512i pairs = Vector::interleave_bf16(first, t + 1 < tokens ? first + width : none);
        _mm512_storeu_si512(to + t / 2 * width + n, pairs);
      }
    }
  }

  class Probabilities {
   public:
    [[gnu::always_inline]] __m512i pack(const __m512 (&exponents)[2]) {
      return add(exp2(exponents[0], coefficients), exp2(exponents[1], coefficients));
    }
    __m512i pack_first(const __m512 (&exponents)[2], int64_t) {
      return add(exp2(exponents[0], coefficients), _mm512_setzero_ps());
    }
    __m512 inverse_sum() const { return Vector::divide(_mm512_set1_ps(1.0F), sum_); }

   private:
    static constexpr float coefficients[] = {0.999928057F, 0.693260968F, 0.242611274F,
                                             0.0551716909F};

    [[gnu::always_inline]] __m512i add(__m512 x, __m512 y) {
      sum_ = _mm512_add_ps(sum_, _mm512_add_ps(x, y));
      return Vector::pack_bf16(x, y);
    }

    __m512 sum_ = _mm512_setzero_ps();
  };
};

struct Int8Heads {
  using Sum = __m512i;
  static constexpr int64_t elements = 4;
  static constexpr float exponent_of_largest = 7.99435344F;  // 2^it is 255
  static constexpr float least_exponent = -3;                // becomes 0

  static __m512i zero() { return _mm512_setzero_si512(); }
  static __m512i start(const int32_t* key_start) { return _mm512_set1_epi32(*key_start); }
  static __m512i add_key(__m512i sum, __m512i queries, const uint32_t* key) {
    return add_value(sum, queries, key);
  }
  static __m512i add_value(__m512i sum, __m512i probabilities, const uint32_t* value) {
    asm("vpdpbusd %2%{1to16%}, %1, %0" : "+v"(sum) : "v"(probabilities), "m"(*value));
    return sum;
  }
  static __m512 score(__m512i sum, const float* scale) {
    return _mm512_mul_ps(_mm512_cvtepi32_ps(sum), _mm512_set1_ps(*scale));
  }
  static __m512 query_scale(const float* scales) { return _mm512_loadu_ps(scales); }
  // x, or NaN where `tested` is: bytes cannot tell.
  static __m512 keep_nan(__m512 x, const float* tested) {
    return _mm512_fmadd_ps(_mm512_loadu_ps(tested), _mm512_setzero_ps(), x);
  }

  // A panel of bf16, lanes x 16 rows, becomes half as many lanes of bytes, in place.
  static void finish_queries(uint32_t* panel, int64_t lanes, float* scales) {
    const __m512 factor = scale_panel(panel, lanes, scales);
    for (int64_t lane = 0; lane < lanes; lane += 2) {
      const __m512i bytes = bytes_of(panel + lane * panel_width, factor);
      _mm512_storeu_si512(panel + lane / 2 * panel_width,
                          _mm512_xor_si512(bytes, _mm512_set1_epi8(-128)));
    }
  }
  static void finish_keys(uint32_t* panel, int64_t lanes, float* scales, int32_t* starts) {
    const __m512 factor = scale_panel(panel, lanes, scales);
    __m512i sum = zero();
    for (int64_t lane = 0; lane < lanes; lane += 2) {
      const __m512i bytes = bytes_of(panel + lane * panel_width, factor);
      sum = _mm512_dpbusd_epi32(sum, _mm512_set1_epi8(-128), bytes);  // times 128, unsigned
      _mm512_storeu_si512(panel + lane / 2 * panel_width, bytes);
    }
    _mm512_storeu_si512(starts, _mm512_sub_epi32(zero(), sum));
  }

  // values: T x W as (T / 4) x W lanes of four tokens.
  static void pack_values(const uint16_t* values, int64_t tokens, int64_t width, uint32_t* to,
                          float* scales) {
    for (int64_t n = 0; n < width; n += panel_width) {
      __m256i max = _mm256_setzero_si256();
      for (int64_t t = 0; t < tokens; ++t) {
        const __m256i row =
            _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + t * width + n));
        max = _mm256_max_epu16(max, _mm256_and_si256(row, _mm256_set1_epi16(0x7fff)));
      }
      const __m512i bits = _mm512_slli_epi32(_mm512_cvtepu16_epi32(max), 16);
      const __m512 factor = factor_of(_mm512_castsi512_ps(bits), scales + n);
      const auto scaled = [&](int64_t t) {
        return t < tokens ? _mm512_mul_ps(Vector::load_bf16(values + t * width + n), factor)
                          : _mm512_setzero_ps();
      };
      for (int64_t t = 0; t < tokens; t += 4) {
        const __m512 x[4] = {scaled(t), scaled(t + 1), scaled(t + 2), scaled(t + 3)};
        _mm512_storeu_si512(to + t / 4 * width + n, signed_bytes(x));
      }
    }
  }

  class Probabilities {
   public:
    [[gnu::always_inline]] __m512i pack(const __m512 (&exponents)[4]) {
      __m512i x[4];
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) x[i] = rounded(exponents[i]);
      return add(x);
    }
    __m512i pack_first(const __m512 (&exponents)[4], int64_t count) {
      __m512i x[4];
      for (int i = 0; i < 4; ++i) x[i] = i < count ? rounded(exponents[i]) : zero();
      return add(x);
    }
    __m512 inverse_sum() const {
      return Vector::divide(_mm512_set1_ps(1.0F), _mm512_cvtepi32_ps(sum_));
    }

   private:
    [[gnu::always_inline]] static __m512i rounded(__m512 exponent) {
      // The least largest error on [-1/2, 1/2], 2^-9.2.
      constexpr float coefficients[] = {1.00044314F, 0.703448006F, 0.238428936F};
      return _mm512_cvtps_epi32(exp2(exponent, coefficients));
    }
    [[gnu::always_inline]] __m512i add(const __m512i (&x)[4]) {
      sum_ = _mm512_add_epi32(
          sum_, _mm512_add_epi32(_mm512_add_epi32(x[0], x[1]), _mm512_add_epi32(x[2], x[3])));
      const __m512i low = _mm512_packs_epi32(x[0], x[1]);
      const __m512i high = _mm512_packs_epi32(x[2], x[3]);
      return by_lane(_mm512_packus_epi16(low, high));
    }

    __m512i sum_ = _mm512_setzero_si512();
  };

 private:
  // Packing four registers leaves four bytes of each behind the other in every 16; a lane wants one
  // of each.
  [[gnu::always_inline]] static __m512i by_lane(__m512i packed) {
    const __m128i order = _mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    return _mm512_shuffle_epi8(packed, _mm512_broadcast_i32x4(order));
  }
  [[gnu::always_inline]] static __m512i signed_bytes(const __m512 (&x)[4]) {
    const __m512i low = _mm512_packs_epi32(_mm512_cvtps_epi32(x[0]), _mm512_cvtps_epi32(x[1]));
    const __m512i high = _mm512_packs_epi32(_mm512_cvtps_epi32(x[2]), _mm512_cvtps_epi32(x[3]));
    return by_lane(_mm512_packs_epi16(low, high));
  }
  // Two lanes of bf16.
  [[gnu::always_inline]] static __m512i bytes_of(const uint32_t* pairs, __m512 factor) {
    const __m512i first = _mm512_loadu_si512(pairs);
    const __m512i second = _mm512_loadu_si512(pairs + panel_width);
    const __m512 x[4] = {_mm512_mul_ps(Vector::low_bf16(first), factor),
                         _mm512_mul_ps(Vector::high_bf16(first), factor),
                         _mm512_mul_ps(Vector::low_bf16(second), factor),
                         _mm512_mul_ps(Vector::high_bf16(second), factor)};
    return signed_bytes(x);
  }
  // Of a panel's 16 rows. Magnitudes of bf16 have the order of their bits.
  static __m512 scale_panel(const uint32_t* panel, int64_t lanes, float* scales) {
    __m512i max = zero();
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const __m512i pairs = _mm512_loadu_si512(panel + lane * panel_width);
      max = _mm512_max_epu16(max, _mm512_and_si512(pairs, _mm512_set1_epi16(0x7fff)));
    }
    const __m512i high = _mm512_and_si512(max, _mm512_set1_epi32(-65536));
    // Of integers: a maximum of floats would drop a NaN beside a number.
    const __m512i both = _mm512_max_epu32(_mm512_slli_epi32(max, 16), high);
    return factor_of(_mm512_castsi512_ps(both), scales);
  }
  // 127 / max, and max / 127 as the scale.
  static __m512 factor_of(__m512 max, float* scales) {
    _mm512_storeu_ps(scales, _mm512_mul_ps(max, _mm512_set1_ps(1.0F / 127.0F)));
    const __m512 some = _mm512_max_ps(max, _mm512_set1_ps(1e-30F));  // rows of zeros stay zeros
    return Vector::divide(_mm512_set1_ps(127.0F), some);
  }
};

}  // namespace
}  // namespace headroom::kernels::avx512_bf16
