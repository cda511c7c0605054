// AVX-512 under the names that simd/ uses. For files compiled with its flags only. Everything has
// internal linkage: the linker must not hand this code to files compiled for other CPUs.
#pragma once

#include <bit>
#include <cstdint>

#include "engine/kernels/simd/x86.h"

namespace headroom::kernels::avx512 {
namespace {

struct Vector {
  using Float = __m512;
  using Bits = __m512i;
  static constexpr int lanes = 16;  // of 32 bits: a panel row
  // The most rows of a micro-kernel over 1, 2 and 4 panels: 14 x 2 and 6 x 4 accumulators take 28
  // and 24 of 32 registers; the panels' weights and the broadcast element of A take 3 and 5. One
  // panel could have more rows, but its 14 chains already hide the latency of fma (4 cycles, two a
  // cycle).
  static constexpr int max_rows_1 = 14;
  static constexpr int max_rows_2 = 14;
  static constexpr int max_rows_4 = 6;
  // Of an epilogue: 4 rows of two registers, each with three values alive (x, z, sum), are 24
  // of 32.
  static constexpr int interleaved_rows = 4;

  static __mmask16 first(int64_t count) { return static_cast<__mmask16>((1U << count) - 1U); }

  static void keep_in_register(Float& x) { asm volatile("" : "+v"(x)); }
  static void keep_in_register(Bits& x) { asm volatile("" : "+v"(x)); }

  static Float zero() { return _mm512_setzero_ps(); }
  static Float broadcast(float value) { return _mm512_set1_ps(value); }
  static Float load(const float* from) { return _mm512_loadu_ps(from); }
  static Float load_first(const float* from, int64_t count) {  // the other lanes are 0
    return _mm512_maskz_loadu_ps(first(count), from);
  }
  static void store(float* to, Float x) { _mm512_storeu_ps(to, x); }
  static void store_first(float* to, Float x, int64_t count) {
    _mm512_mask_storeu_ps(to, first(count), x);
  }
  static void store_bf16(uint16_t* to, Float x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), to_bf16(x));
  }
  static void store_bf16(uint16_t* to, Float x, Float y) { _mm512_storeu_si512(to, to_bf16(x, y)); }
  static void store_bf16_first(uint16_t* to, Float x, int64_t count) {
    _mm256_mask_storeu_epi16(to, first(count), to_bf16(x));
  }

  static Float add(Float a, Float b) { return _mm512_add_ps(a, b); }
  static Float subtract(Float a, Float b) { return _mm512_sub_ps(a, b); }
  static Float multiply(Float a, Float b) { return _mm512_mul_ps(a, b); }
  // By a reciprocal of 14 bits and one step of Newton's, to 1 or 2 ulp: the
  // CPU's own division of 16 floats takes 16 cycles. b must be neither 0 nor huge.
  static Float divide(Float a, Float b) {
    const Float near = _mm512_rcp14_ps(b);
    const Float error = _mm512_fnmadd_ps(b, near, _mm512_set1_ps(1.0F));
    return _mm512_mul_ps(a, _mm512_fmadd_ps(near, error, near));
  }
  static Float fma(Float a, Float b, Float c) { return _mm512_fmadd_ps(a, b, c); }
  static Float min(Float a, Float b) { return _mm512_min_ps(a, b); }
  static Float max(Float a, Float b) { return _mm512_max_ps(a, b); }
  static Float clamp(Float x, float most) {  // to [-most, most]
    return _mm512_range_ps(x, broadcast(most), 2);
  }
  static Float round(Float x) {
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  static Float ldexp(Float x, Float exponent) { return _mm512_scalef_ps(x, exponent); }
  static Float zero_where_less(Float x, Float tested, Float bound) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(tested, bound, _CMP_NLT_UQ), x);
  }
  static Float keep_first(Float x, int64_t count) {  // the other lanes become 0
    return _mm512_maskz_mov_ps(first(count), x);
  }
  static float reduce_add(Float x) { return _mm512_reduce_add_ps(x); }
  static float reduce_max(Float x) { return _mm512_reduce_max_ps(x); }

  static Bits load_bits(const uint32_t* from) { return _mm512_loadu_si512(from); }
  static Bits broadcast_bits(uint32_t value) { return _mm512_set1_epi32(static_cast<int>(value)); }
  static Float load_bf16(const uint16_t* from) {
    const __m256i bf16 = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(bf16), 16));
  }
  static Float low_bf16(Bits pairs) { return _mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16)); }
  static Float high_bf16(Bits pairs) {
    return _mm512_castsi512_ps(_mm512_and_si512(pairs, _mm512_set1_epi32(-65536)));
  }

  static Bits zero_bits() { return _mm512_setzero_si512(); }
  static void store_bits(float* to, Bits x) { _mm512_storeu_si512(to, x); }
  static Float int_to_float(Bits x) { return _mm512_cvtepi32_ps(x); }
  // Each lane: an element of `low` in its low 16 bits, one of `high` in its high 16 bits.
  static Bits interleave_bf16(const uint16_t* low, const uint16_t* high) {
    const auto load = [](const uint16_t* from) {
      return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
    };
    const Bits both = _mm512_inserti64x4(_mm512_castsi256_si512(load(low)), load(high), 1);
    const Bits order =
        _mm512_set_epi32(0x001f000f, 0x001e000e, 0x001d000d, 0x001c000c, 0x001b000b, 0x001a000a,
                         0x00190009, 0x00180008, 0x00170007, 0x00160006, 0x00150005, 0x00140004,
                         0x00130003, 0x00120002, 0x00110001, 0x00100000);
    return _mm512_permutexvar_epi16(order, both);
  }
  // Each lane: x as bf16 in its low 16 bits, y in its high 16 bits. Ties go away from
  // 0, in fewer instructions than to even.
  static Bits pack_bf16(Float x, Float y) {
    const Bits half = _mm512_set1_epi32(0x8000);
    const Bits low = _mm512_srli_epi32(_mm512_add_epi32(_mm512_castps_si512(x), half), 16);
    const Bits high = _mm512_add_epi32(_mm512_castps_si512(y), half);
    return _mm512_mask_blend_epi16(0xaaaaaaaaU, low, high);
  }
  static Bits add_ints(Bits a, Bits b) { return _mm512_add_epi32(a, b); }
  static Bits subtract_ints(Bits a, Bits b) { return _mm512_sub_epi32(a, b); }
  // sum + the dot product of four unsigned bytes of a and four signed bytes of b, in each lane.
  static Bits dot_u8s8(Bits a, Bits b, Bits sum) {
    const Bits low = _mm512_set1_epi32(0x00ff00ff);
    const Bits even =
        _mm512_madd_epi16(_mm512_and_si512(a, low), _mm512_srai_epi16(_mm512_slli_epi16(b, 8), 8));
    const Bits odd = _mm512_madd_epi16(_mm512_srli_epi16(a, 8), _mm512_srai_epi16(b, 8));
    return _mm512_add_epi32(sum, _mm512_add_epi32(even, odd));
  }
  // max(magnitude, |x|), as integers: magnitudes have the order of their bits, NaN above all.
  static Float max_magnitude(Float magnitude, Float x) {
    const Bits bits = _mm512_and_si512(_mm512_castps_si512(x), _mm512_set1_epi32(0x7fffffff));
    return _mm512_castsi512_ps(_mm512_max_epi32(_mm512_castps_si512(magnitude), bits));
  }
  static float reduce_max_magnitude(Float magnitudes) {
    return std::bit_cast<float>(_mm512_reduce_max_epi32(_mm512_castps_si512(magnitudes)));
  }
  // round(x) + 128, which must fit a byte.
  static void store_bytes(uint8_t* to, Float x) {
    const Bits biased = _mm512_add_epi32(_mm512_cvtps_epi32(x), _mm512_set1_epi32(128));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi32_epi8(biased));
  }
  // Packing takes 4 bytes from each register in turn, per 16 bytes of the result.
  static void store_bytes(uint8_t* to, const Float (&x)[4]) {
    const Bits low = _mm512_packs_epi32(_mm512_cvtps_epi32(x[0]), _mm512_cvtps_epi32(x[1]));
    const Bits high = _mm512_packs_epi32(_mm512_cvtps_epi32(x[2]), _mm512_cvtps_epi32(x[3]));
    const Bits order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    const Bits bytes = _mm512_permutexvar_epi32(order, _mm512_packs_epi16(low, high));
    _mm512_storeu_si512(to, _mm512_xor_si512(bytes, _mm512_set1_epi8(-128)));
  }

  // in: 16 x 16 of `stride`, out: 16 x 16 dense.
  static void transpose(const float* in, int64_t stride, float* out) {
    __m512i x[16];
    __m512i y[16];
    for (int i = 0; i < 16; ++i) x[i] = _mm512_loadu_si512(in + i * stride);
    for (int i = 0; i < 16; i += 2) {
      y[i] = _mm512_unpacklo_epi32(x[i], x[i + 1]);
      y[i + 1] = _mm512_unpackhi_epi32(x[i], x[i + 1]);
    }
    for (int i = 0; i < 16; i += 4) {
      x[i] = _mm512_unpacklo_epi64(y[i], y[i + 2]);
      x[i + 1] = _mm512_unpackhi_epi64(y[i], y[i + 2]);
      x[i + 2] = _mm512_unpacklo_epi64(y[i + 1], y[i + 3]);
      x[i + 3] = _mm512_unpackhi_epi64(y[i + 1], y[i + 3]);
    }
    for (int i = 0; i < 4; ++i) {
      y[i] = _mm512_shuffle_i32x4(x[i], x[i + 4], 0x88);
      y[i + 4] = _mm512_shuffle_i32x4(x[i], x[i + 4], 0xdd);
      y[i + 8] = _mm512_shuffle_i32x4(x[i + 8], x[i + 12], 0x88);
      y[i + 12] = _mm512_shuffle_i32x4(x[i + 8], x[i + 12], 0xdd);
    }
    for (int64_t i = 0; i < 8; ++i) {
      _mm512_storeu_si512(out + i * 16, _mm512_shuffle_i32x4(y[i], y[i + 8], 0x88));
      _mm512_storeu_si512(out + (i + 8) * 16, _mm512_shuffle_i32x4(y[i], y[i + 8], 0xdd));
    }
  }

 private:
  // To nearest, ties to even. NaN is not rounded, which could carry into its sign, but made quiet.
  // The instruction flushes denormals (below 1e-38) to 0.
  static __m256i to_bf16(Float x) {
#ifdef __AVX512BF16__
    return reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(x));
#else
    const Bits bits = _mm512_castps_si512(x);
    const Bits odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const Bits up = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7fff)), odd);
    const Bits kept = _mm512_mask_or_epi32(up, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), bits,
                                           _mm512_set1_epi32(0x400000));
    return _mm512_cvtepi32_epi16(_mm512_srli_epi32(kept, 16));
#endif
  }
  static Bits to_bf16(Float x, Float y) {
#ifdef __AVX512BF16__
    return reinterpret_cast<Bits>(_mm512_cvtne2ps_pbh(y, x));
#else
    return _mm512_inserti64x4(_mm512_castsi256_si512(to_bf16(x)), to_bf16(y), 1);
#endif
  }
};

}  // namespace
}  // namespace headroom::kernels::avx512
