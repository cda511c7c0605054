// NEON, as every 64-bit ARM CPU has it, under the names that simd/ uses. For files of this folder
// and of its extensions. Everything has internal linkage: the linker must not hand this code to
// files compiled for other CPUs.
#pragma once

#include <arm_neon.h>

#include <cstdint>

namespace headroom::kernels::neon {
namespace {

struct Vector {
  using Float = float32x4_t;
  using Bits = int32x4_t;
  static constexpr int lanes = 4;  // of 32 bits: a quarter of a panel row
  // The most rows of a micro-kernel over 1, 2 and 4 panels. A panel row is four registers, so 6 x
  // 4, 2 x 8 and 1 x 16 accumulators take 24, 16 and 16 of 32 registers; the others hold the
  // broadcast element of A and weights.
  static constexpr int max_rows_1 = 6;
  static constexpr int max_rows_2 = 2;
  static constexpr int max_rows_4 = 1;
  static constexpr int interleaved_rows = 1;  // of an epilogue

  static Float zero() { return vdupq_n_f32(0); }
  static Float broadcast(float value) { return vdupq_n_f32(value); }
  static Float load(const float* from) { return vld1q_f32(from); }
  static Float load_first(const float* from, int64_t count) {  // the other lanes are 0
    float all[lanes] = {};
    for (int64_t i = 0; i < count; ++i) all[i] = from[i];
    return load(all);
  }
  static void store(float* to, Float x) { vst1q_f32(to, x); }
  static void store_first(float* to, Float x, int64_t count) {
    float all[lanes];
    store(all, x);
    for (int64_t i = 0; i < count; ++i) to[i] = all[i];
  }
  static void store_bf16(uint16_t* to, Float x) { vst1_u16(to, to_bf16(x)); }
  static void store_bf16(uint16_t* to, Float x, Float y) {
    vst1q_u16(to, vcombine_u16(to_bf16(x), to_bf16(y)));
  }
  static void store_bf16_first(uint16_t* to, Float x, int64_t count) {
    uint16_t all[lanes];
    store_bf16(all, x);
    for (int64_t i = 0; i < count; ++i) to[i] = all[i];
  }

  static Float add(Float a, Float b) { return vaddq_f32(a, b); }
  static Float subtract(Float a, Float b) { return vsubq_f32(a, b); }
  static Float multiply(Float a, Float b) { return vmulq_f32(a, b); }
  static Float divide(Float a, Float b) { return vdivq_f32(a, b); }
  static Float fma(Float a, Float b, Float c) { return vfmaq_f32(c, a, b); }
  static Float min(Float a, Float b) { return vminq_f32(a, b); }
  static Float max(Float a, Float b) { return vmaxq_f32(a, b); }
  static Float clamp(Float x, float most) {  // to [-most, most]
    return max(min(x, broadcast(most)), broadcast(-most));
  }
  static Float round(Float x) { return vrndnq_f32(x); }
  static Float ldexp(Float x, Float exponent) {  // exponent in [-126, 127]
    const Bits biased = vaddq_s32(vcvtnq_s32_f32(exponent), vdupq_n_s32(127));
    return vmulq_f32(x, vreinterpretq_f32_s32(vshlq_n_s32(biased, 23)));
  }
  static Float zero_where_less(Float x, Float tested, Float bound) {
    return keep(x, vmvnq_u32(vcltq_f32(tested, bound)));
  }
  static Float keep_first(Float x, int64_t count) {  // the other lanes become 0
    constexpr int32_t indices[lanes] = {0, 1, 2, 3};
    return keep(x, vcltq_s32(vld1q_s32(indices), vdupq_n_s32(static_cast<int32_t>(count))));
  }
  static float reduce_add(Float x) { return vaddvq_f32(x); }
  static float reduce_max(Float x) { return vmaxvq_f32(x); }

  static Bits load_bits(const uint32_t* from) { return vreinterpretq_s32_u32(vld1q_u32(from)); }
  static Bits broadcast_bits(uint32_t value) { return vreinterpretq_s32_u32(vdupq_n_u32(value)); }
  static Float load_bf16(const uint16_t* from) {
    return vreinterpretq_f32_u32(vshll_n_u16(vld1_u16(from), 16));
  }
  static Float low_bf16(Bits pairs) { return vreinterpretq_f32_s32(vshlq_n_s32(pairs, 16)); }
  static Float high_bf16(Bits pairs) {
    return vreinterpretq_f32_s32(vandq_s32(pairs, vdupq_n_s32(-65536)));
  }

  static Bits zero_bits() { return vdupq_n_s32(0); }
  static void store_bits(float* to, Bits x) { vst1q_f32(to, vreinterpretq_f32_s32(x)); }
  static Float int_to_float(Bits x) { return vcvtq_f32_s32(x); }
  // Each lane: an element of `low` in its low 16 bits, one of `high` in its high 16 bits.
  static Bits interleave_bf16(const uint16_t* low, const uint16_t* high) {
    return vreinterpretq_s32_u32(
        vorrq_u32(vmovl_u16(vld1_u16(low)), vshll_n_u16(vld1_u16(high), 16)));
  }
  // Each lane: x as bf16 in its low 16 bits, y in its high 16 bits. Ties go away from 0, in fewer
  // instructions than to even.
  static Bits pack_bf16(Float x, Float y) {
    const uint32x4_t half = vdupq_n_u32(0x8000);
    const uint32x4_t low = vaddq_u32(vreinterpretq_u32_f32(x), half);
    const uint32x4_t high = vaddq_u32(vreinterpretq_u32_f32(y), half);
    return vreinterpretq_s32_u32(vsriq_n_u32(high, low, 16));
  }
  static Bits add_ints(Bits a, Bits b) { return vaddq_s32(a, b); }
  static Bits subtract_ints(Bits a, Bits b) { return vsubq_s32(a, b); }
  // sum + the dot product of four unsigned bytes of a and four signed bytes of b, in each lane.
  // Products have 16 bits and their sums of two 17, so they are widened at once.
  static Bits dot_u8s8(Bits a, Bits b, Bits sum) {
    const uint8x16_t left = vreinterpretq_u8_s32(a);
    const int8x16_t right = vreinterpretq_s8_s32(b);
    const int16x8_t low_a = vreinterpretq_s16_u16(vmovl_u8(vget_low_u8(left)));
    const int16x8_t high_a = vreinterpretq_s16_u16(vmovl_high_u8(left));
    const int16x8_t low = vmulq_s16(low_a, vmovl_s8(vget_low_s8(right)));
    const int16x8_t high = vmulq_s16(high_a, vmovl_high_s8(right));
    return vaddq_s32(sum, vpaddq_s32(vpaddlq_s16(low), vpaddlq_s16(high)));
  }
  // max(magnitude, |x|)
  static Float max_magnitude(Float magnitude, Float x) {
    return vmaxq_f32(magnitude, vabsq_f32(x));
  }
  static float reduce_max_magnitude(Float magnitudes) { return vmaxvq_f32(magnitudes); }
  // round(x) + 128, which must fit a byte.
  static void store_bytes(uint8_t* to, Float x) {
    const int16x4_t words = vmovn_s32(vaddq_s32(vcvtnq_s32_f32(x), vdupq_n_s32(128)));
    uint8_t all[8];
    vst1_u8(all, vqmovun_s16(vcombine_s16(words, words)));
    for (int i = 0; i < lanes; ++i) to[i] = all[i];
  }
  static void store_bytes(uint8_t* to, const Float (&x)[4]) {
    const auto words = [](Float a, Float b) {
      return vcombine_s16(vqmovn_s32(vcvtnq_s32_f32(a)), vqmovn_s32(vcvtnq_s32_f32(b)));
    };
    const int8x16_t bytes =
        vcombine_s8(vqmovn_s16(words(x[0], x[1])), vqmovn_s16(words(x[2], x[3])));
    vst1q_u8(to, veorq_u8(vreinterpretq_u8_s8(bytes), vdupq_n_u8(128)));
  }

  // in: 16 x 16 of `stride`, out: 16 x 16 dense.
  static void transpose(const float* in, int64_t stride, float* out) {
    for (int64_t row = 0; row < 16; row += 4) {
      for (int64_t column = 0; column < 16; column += 4) {
        transpose_4x4(in + row * stride + column, stride, out + column * 16 + row);
      }
    }
  }

 private:
  static Float keep(Float x, uint32x4_t mask) {
    return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(x), mask));
  }

  static void transpose_4x4(const float* in, int64_t stride, float* out) {
    const Float a = load(in);
    const Float b = load(in + stride);
    const Float c = load(in + 2 * stride);
    const Float d = load(in + 3 * stride);
    const Float low[2] = {vzip1q_f32(a, c), vzip1q_f32(b, d)};
    const Float high[2] = {vzip2q_f32(a, c), vzip2q_f32(b, d)};
    store(out, vzip1q_f32(low[0], low[1]));
    store(out + 16, vzip2q_f32(low[0], low[1]));
    store(out + 32, vzip1q_f32(high[0], high[1]));
    store(out + 48, vzip2q_f32(high[0], high[1]));
  }

  // To nearest, ties to even. NaN is not rounded, which could carry into its sign, but made quiet.
  static uint16x4_t to_bf16(Float x) {
#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC
    return vreinterpret_u16_bf16(vcvt_bf16_f32(x));
#else
    const uint32x4_t bits = vreinterpretq_u32_f32(x);
    const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
    const uint32x4_t up = vaddq_u32(vaddq_u32(bits, vdupq_n_u32(0x7fff)), odd);
    const uint32x4_t quiet = vorrq_u32(bits, vdupq_n_u32(0x400000));
    return vshrn_n_u32(vbslq_u32(vceqq_f32(x, x), up, quiet), 16);
#endif
  }
};

}  // namespace
}  // namespace headroom::kernels::neon
