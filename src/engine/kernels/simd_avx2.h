// AVX2 and FMA under the names that the kernel templates use. Only for files compiled with its
// flags; everything is local to the file, so that the linker never shares this code with another.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace headroom {
namespace {

struct Avx2 {
  using Float = __m256;
  using Bits = __m256i;
  static constexpr int lanes = 8;
  // Rows of a tile of 1, 2 and 4 panels: 8 to 12 of 16 registers hold sums.
  static constexpr int tile_rows_1 = 6;
  static constexpr int tile_rows_2 = 3;
  static constexpr int tile_rows_4 = 1;
  static constexpr int rows_in_step = 1;  // no registers for more

  static Bits first(int64_t count) {
    const Bits numbers = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), numbers);
  }

  static Float zero() { return _mm256_setzero_ps(); }
  static Float spread(float value) { return _mm256_set1_ps(value); }
  static Float load(const float* from) { return _mm256_loadu_ps(from); }
  static Float load_first(const float* from, int64_t count) {  // the other lanes are 0
    return _mm256_maskload_ps(from, first(count));
  }
  static void store(float* to, Float x) { _mm256_storeu_ps(to, x); }
  static void store_first(float* to, Float x, int64_t count) {
    _mm256_maskstore_ps(to, first(count), x);
  }
  static void store_bf16(uint16_t* to, Float x) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), rounded(x));
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
  static Float multiply_add(Float a, Float b, Float c) { return _mm256_fmadd_ps(a, b, c); }
  static Float smaller(Float a, Float b) { return _mm256_min_ps(a, b); }
  static Float larger(Float a, Float b) { return _mm256_max_ps(a, b); }
  static Float cut(Float x, float most) {  // to [-most, most]
    return larger(smaller(x, spread(most)), spread(-most));
  }
  static Float nearest_whole(Float x) {
    return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
  }
  static Float times_power_of_two(Float x, Float exponent) {  // exponent in [-126, 127]
    const Bits biased = _mm256_add_epi32(_mm256_cvtps_epi32(exponent), _mm256_set1_epi32(127));
    return _mm256_mul_ps(x, _mm256_castsi256_ps(_mm256_slli_epi32(biased, 23)));
  }
  static Float zero_where_less(Float x, Float tested, Float bound) {
    return _mm256_and_ps(x, _mm256_cmp_ps(tested, bound, _CMP_GE_OQ));
  }
  static Float keep_first(Float x, int64_t count) {  // the other lanes become 0
    return _mm256_and_ps(x, _mm256_castsi256_ps(first(count)));
  }
  static float sum(Float x) {
    __m128 half = _mm_add_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_add_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_add_ss(half, _mm_movehdup_ps(half)));
  }
  static float largest(Float x) {
    __m128 half = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));
    half = _mm_max_ps(half, _mm_movehl_ps(half, half));
    return _mm_cvtss_f32(_mm_max_ss(half, _mm_movehdup_ps(half)));
  }

  static Bits load_bits(const uint32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Bits spread_bits(uint32_t value) { return _mm256_set1_epi32(static_cast<int>(value)); }
  static Float low_bf16(Bits pairs) { return _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16)); }
  static Float high_bf16(Bits pairs) {
    return _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32(-65536)));
  }

  static Bits zero_bits() { return _mm256_setzero_si256(); }
  static void store_bits(float* to, Bits x) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), x);
  }
  static Float whole_to_float(Bits x) { return _mm256_cvtepi32_ps(x); }
  // A number of `low` in the low half of each lane, one of `high` in the high one.
  static Bits pair_halves(const uint16_t* low, const uint16_t* high) {
    const auto widened = [](const uint16_t* from) {
      return _mm256_cvtepu16_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)));
    };
    return _mm256_or_si256(widened(low), _mm256_slli_epi32(widened(high), 16));
  }
  // x rounded in the low half of each lane, y in the high one; ties away from 0.
  static Bits bf16_pairs(Float x, Float y) {
    const Bits half = _mm256_set1_epi32(0x8000);
    const Bits low = _mm256_srli_epi32(_mm256_add_epi32(_mm256_castps_si256(x), half), 16);
    return _mm256_blend_epi16(low, _mm256_add_epi32(_mm256_castps_si256(y), half), 0xaa);
  }
  static Bits add_whole(Bits a, Bits b) { return _mm256_add_epi32(a, b); }
  static Bits subtract_whole(Bits a, Bits b) { return _mm256_sub_epi32(a, b); }
  // Per lane: four unsigned bytes of a times four signed ones of b, added to the lane of sum.
  static Bits add_byte_products(Bits a, Bits b, Bits sum) {
    const Bits low = _mm256_set1_epi32(0x00ff00ff);
    const Bits even =
        _mm256_madd_epi16(_mm256_and_si256(a, low), _mm256_srai_epi16(_mm256_slli_epi16(b, 8), 8));
    const Bits odd = _mm256_madd_epi16(_mm256_srli_epi16(a, 8), _mm256_srai_epi16(b, 8));
    return _mm256_add_epi32(sum, _mm256_add_epi32(even, odd));
  }
  // Of a magnitude and any number.
  static Float larger_magnitude(Float magnitude, Float x) {
    return _mm256_max_ps(magnitude, _mm256_andnot_ps(_mm256_set1_ps(-0.0F), x));
  }
  // Rounded, plus 128; the result must fit a byte.
  static void store_bytes(uint8_t* to, Float x) {
    const Bits whole = _mm256_add_epi32(_mm256_cvtps_epi32(x), _mm256_set1_epi32(128));
    const __m128i words =
        _mm_packus_epi32(_mm256_castsi256_si128(whole), _mm256_extracti128_si256(whole, 1));
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

  // 16 x 16 numbers: rows of `in` become columns of `out`.
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

  // To nearest, ties to even, for finite numbers.
  static __m128i rounded(Float x) {
    const Bits bits = _mm256_castps_si256(x);
    const Bits odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    const Bits up = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
    const Bits high = _mm256_srli_epi32(up, 16);
    return _mm_packus_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1));
  }
};

}  // namespace
}  // namespace headroom
