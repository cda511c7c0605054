// AVX2 and FMA under the names that simd/ uses. For files of this folder only. Everything has
// internal linkage: the linker must not hand this code to files compiled for other CPUs.
#pragma once

#include <bit>
#include <cstdint>

#include "engine/kernels/simd/x86.h"

namespace headroom::kernels::avx2 {
namespace {

struct Vector {
  using Float = __m256;
  using Bits = __m256i;
  static constexpr int lanes = 8;  // of 32 bits: half a panel row
  // The most rows of a micro-kernel over 1, 2 and 4 panels. A panel row is two registers, so
  // 6 x 2, 3 x 4 and 1 x 8 accumulators take 12, 12 and 8 of 16 registers. The others hold the
  // broadcast element of A and weights; what does not fit is an operand in memory.
  static constexpr int max_rows_1 = 6;
  static constexpr int max_rows_2 = 3;
  static constexpr int max_rows_4 = 1;
  static constexpr int interleaved_rows = 1;  // of an epilogue: there are no registers for more

  static Bits first(int64_t count) {
    const Bits indices = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), indices);
  }

  static Float zero() { return _mm256_setzero_ps(); }
  static Float broadcast(float value) { return _mm256_set1_ps(value); }
  static Float load(const float* from) { return _mm256_loadu_ps(from); }
  static Float load_first(const float* from, int64_t count) {  // the other lanes are 0
    return _mm256_maskload_ps(from, first(count));
  }
  static void store(float* to, Float x) { _mm256_storeu_ps(to, x); }
  static void store_first(float* to, Float x, int64_t count) {
    _mm256_maskstore_ps(to, first(count), x);
  }
  static void store_bf16(uint16_t* to, Float x) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), to_bf16(x));
  }
  static void store_bf16(uint16_t* to, Float x, Float y) {
    store_bf16(to, x);
    store_bf16(to + lanes, y);
  }
  static void store_bf16_first(uint16_t* to, Float x, int64_t count) {
    uint16_t all[lanes];
    store_bf16(all, x);
    for (int64_t i = 0; i < count; ++i) to[i] = all[i];
  }

  static Float add(Float a, Float b) { return _mm256_add_ps(a, b); }
  static Float subtract(Float a, Float b) { return _mm256_sub_ps(a, b); }
  static Float multiply(Float a, Float b) { return _mm256_mul_ps(a, b); }
  static Float divide(Float a, Float b) { return _mm256_div_ps(a, b); }
  static Float fma(Float a, Float b, Float c) { return _mm256_fmadd_ps(a, b, c); }
  static Float min(Float a, Float b) { return _mm256_min_ps(a, b); }
  static Float max(Float a, Float b) { return _mm256_max_ps(a, b); }
  static Float clamp(Float x, float most) {  // to [-most, most]
    return max(min(x, broadcast(most)), broadcast(-most));
  }
  static Float round(Float x) {
    return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  static Float ldexp(Float x, Float exponent) {  // exponent in [-126, 127]
    const Bits biased = _mm256_add_epi32(_mm256_cvtps_epi32(exponent), _mm256_set1_epi32(127));
    return _mm256_mul_ps(x, _mm256_castsi256_ps(_mm256_slli_epi32(biased, 23)));
  }
  static Float zero_where_less(Float x, Float tested, Float bound) {
    return _mm256_and_ps(x, _mm256_cmp_ps(tested, bound, _CMP_NLT_UQ));
  }
  static Float keep_first(Float x, int64_t count) {  // the other lanes become 0
    return _mm256_and_ps(x, _mm256_castsi256_ps(first(count)));
  }
  static float reduce_add(Float x) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
  }
  static float reduce_max(Float x) {
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
  }

  static Bits load_bits(const uint32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Bits broadcast_bits(uint32_t value) { return _mm256_set1_epi32(static_cast<int>(value)); }
  static Float load_bf16(const uint16_t* from) {
    const __m128i bf16 = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bf16), 16));
  }
  static Float low_bf16(Bits pairs) { return _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16)); }
  static Float high_bf16(Bits pairs) {
    return _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32(-65536)));
  }

  static Bits zero_bits() { return _mm256_setzero_si256(); }
  static void store_bits(float* to, Bits x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x);
  }
  static Float int_to_float(Bits x) { return _mm256_cvtepi32_ps(x); }
  // Each lane: an element of `low` in its low 16 bits, one of `high` in its high 16 bits.
  static Bits interleave_bf16(const uint16_t* low, const uint16_t* high) {
    const auto widened = [](const uint16_t* from) {
      return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    };
    return _mm256_or_si256(widened(low), _mm256_slli_epi32(widened(high), 16));
  }
  // Each lane: x as bf16 in its low 16 bits, y in its high 16 bits. Ties go away from
  // 0, in fewer instructions than to even.
  static Bits pack_bf16(Float x, Float y) {
    const Bits half = _mm256_set1_epi32(0x8000);
    const Bits low = _mm256_srli_epi32(_mm256_add_epi32(_mm256_castps_si256(x), half), 16);
    return _mm256_blend_epi16(low, _mm256_add_epi32(_mm256_castps_si256(y), half), 0xaa);
  }
  static Bits add_ints(Bits a, Bits b) { return _mm256_add_epi32(a, b); }
  static Bits subtract_ints(Bits a, Bits b) { return _mm256_sub_epi32(a, b); }
  // sum + the dot product of four unsigned bytes of a and four signed bytes of b, in each lane.
  static Bits dot_u8s8(Bits a, Bits b, Bits sum) {
    const Bits low = _mm256_set1_epi32(0x00ff00ff);
    const Bits even =
        _mm256_madd_epi16(_mm256_and_si256(a, low), _mm256_srai_epi16(_mm256_slli_epi16(b, 8), 8));
    const Bits odd = _mm256_madd_epi16(_mm256_srli_epi16(a, 8), _mm256_srai_epi16(b, 8));
    return _mm256_add_epi32(sum, _mm256_add_epi32(even, odd));
  }
  // max(magnitude, |x|)
  static Float max_magnitude(Float magnitude, Float x) {
    const Bits bits = _mm256_and_si256(_mm256_castps_si256(x), _mm256_set1_epi32(0x7fffffff));
    return _mm256_castsi256_ps(_mm256_max_epi32(_mm256_castps_si256(magnitude), bits));
  }
  static float reduce_max_magnitude(Float magnitudes) {
    const Bits bits = _mm256_castps_si256(magnitudes);
    __m128i half = _mm_max_epi32(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
    half = _mm_max_epi32(half, _mm_unpackhi_epi64(half, half));
    half = _mm_max_epi32(half, _mm_shuffle_epi32(half, 1));
    return std::bit_cast<float>(_mm_cvtsi128_si32(half));
  }
  // round(x) + 128, which must fit a byte.
  static void store_bytes(uint8_t* to, Float x) {
    const Bits biased = _mm256_add_epi32(_mm256_cvtps_epi32(x), _mm256_set1_epi32(128));
    const __m128i words =
        _mm_packus_epi32(_mm256_castsi256_si128(biased), _mm256_extracti128_si256(biased, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to), _mm_packus_epi16(words, words));
  }
  // Packing takes 4 bytes from each register in turn, per 16 bytes of the result.
  static void store_bytes(uint8_t* to, const Float (&x)[4]) {
    const Bits low = _mm256_packs_epi32(_mm256_cvtps_epi32(x[0]), _mm256_cvtps_epi32(x[1]));
    const Bits high = _mm256_packs_epi32(_mm256_cvtps_epi32(x[2]), _mm256_cvtps_epi32(x[3]));
    const Bits order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    const Bits bytes = _mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), order);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to),
                        _mm256_xor_si256(bytes, _mm256_set1_epi8(-128)));
  }

  // in: 16 x 16 of `stride`, out: 16 x 16 dense.
  static void transpose(const float* in, int64_t stride, float* out) {
    for (int64_t row = 0; row < 16; row += 8) {
      for (int64_t column = 0; column < 16; column += 8) {
        transpose_8x8(in + row * stride + column, stride, out + column * 16 + row);
      }
    }
  }

 private:
  static void transpose_8x8(const float* in, int64_t stride, float* out) {
    Float x[8];
    Float y[8];
    for (int i = 0; i < 8; ++i) x[i] = load(in + i * stride);
    for (int i = 0; i < 8; i += 2) {
      y[i] = _mm256_unpacklo_ps(x[i], x[i + 1]);
      y[i + 1] = _mm256_unpackhi_ps(x[i], x[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
      x[i] = _mm256_shuffle_ps(y[i], y[i + 2], 0x44);
      x[i + 1] = _mm256_shuffle_ps(y[i], y[i + 2], 0xee);
      x[i + 2] = _mm256_shuffle_ps(y[i + 1], y[i + 3], 0x44);
      x[i + 3] = _mm256_shuffle_ps(y[i + 1], y[i + 3], 0xee);
    }
    for (int64_t i = 0; i < 4; ++i) {
      store(out + i * 16, _mm256_permute2f128_ps(x[i], x[i + 4], 0x20));
      store(out + (i + 4) * 16, _mm256_permute2f128_ps(x[i], x[i + 4], 0x31));
    }
  }

  // To nearest, ties to even. NaN is not rounded, which could carry into its sign, but made quiet.
  static __m128i to_bf16(Float x) {
    const Bits bits = _mm256_castps_si256(x);
    const Bits odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const Bits up = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    const Float quiet = _mm256_or_ps(x, _mm256_castsi256_ps(_mm256_set1_epi32(0x400000)));
    const Float kept =
        _mm256_blendv_ps(_mm256_castsi256_ps(up), quiet, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    const Bits high = _mm256_srli_epi32(_mm256_castps_si256(kept), 16);
    return _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1));
  }
};

}  // namespace
}  // namespace headroom::kernels::avx2
