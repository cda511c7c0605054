// exp, erf, activations and tanh of a register of floats; and approximations for results that are
// rounded to bf16 or int8 next, which keep at most 9 bits.
//
// NaN stays NaN: a head refuses to answer with it.
//
// Interleaved functions take several registers and issue each instruction for all of them before
// the next one, so that no instruction waits for the one just before: see epilogue.h.
#pragma once

namespace headroom::kernels::simd {
namespace {

inline constexpr float log2_of_e = 1.44269504F;

// c[0] + c[1] x + c[2] x^2 + ..., interleaved.
template <class S, int registers, int count>
[[gnu::always_inline]] inline void polynomials(const typename S::Float (&x)[registers],
                                               const float (&c)[count],
                                               typename S::Float (&sums)[registers]) {
#pragma GCC unroll 16
  for (int i = 0; i < registers; ++i) sums[i] = S::broadcast(c[count - 1]);
#pragma GCC unroll 16
  for (int n = count - 2; n >= 0; --n) {
#pragma GCC unroll 16
    for (int i = 0; i < registers; ++i) sums[i] = S::fma(sums[i], x[i], S::broadcast(c[n]));
  }
}
template <class S, int count>
typename S::Float polynomial(typename S::Float x, const float (&c)[count]) {
  const typename S::Float one[1] = {x};
  typename S::Float sum[1];
  polynomials<S>(one, c, sum);
  return sum[0];
}

// Of two operands, one of them NaN, x86 takes the second.
template <class S>
typename S::Float clamp(typename S::Float x, float least, float most) {
  return S::max(S::broadcast(least), S::min(S::broadcast(most), x));
}

// exp(x) = 2^n exp(r) with |r| <= ln(2) / 2, where Taylor's series up to r^6 is off by 1.2e-7 at
// most. ln(2) is split in two so that r keeps its bits.
template <class S>
typename S::Float exp(typename S::Float x) {
  constexpr float taylor[] = {1.0F, 1.0F, 1.0F / 2, 1.0F / 6, 1.0F / 24, 1.0F / 120, 1.0F / 720};
  const typename S::Float min_x = S::broadcast(-87.0F);
  const typename S::Float clamped = clamp<S>(x, -87.0F, 88.0F);
  const typename S::Float n = S::round(S::multiply(clamped, S::broadcast(log2_of_e)));
  typename S::Float r = S::fma(n, S::broadcast(-0.693359375F), clamped);
  r = S::fma(n, S::broadcast(2.12194440e-4F), r);
  return S::zero_where_less(S::ldexp(polynomial<S>(r, taylor), n), x, min_x);
}

// 2^x for x <= 127 with a relative error of 2^-13; below -125 the result stays above 1e-38.
// 2^x = 2^n 2^r with |r| <= 1/2, where the cubic's error was minimised by reweighted least squares.
template <class S, int count>
[[gnu::always_inline]] inline void approx_exp2_interleaved(typename S::Float (&x)[count]) {
  constexpr float p[] = {0.999928057F, 0.693260968F, 0.242611274F, 0.0551716909F};
  typename S::Float n[count];
  typename S::Float sum[count];
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) x[i] = S::max(S::broadcast(-125.0F), x[i]);  // keeps NaN
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) n[i] = S::round(x[i]);
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) x[i] = S::subtract(x[i], n[i]);
  polynomials<S>(x, p, sum);
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) x[i] = S::ldexp(sum[i], n[i]);
}
template <class S>
typename S::Float approx_exp2(typename S::Float x) {
  typename S::Float one[1] = {x};
  approx_exp2_interleaved<S>(one);
  return one[0];
}

// exp(x) for x <= 88 with the same error.
template <class S>
typename S::Float approx_exp(typename S::Float x) {
  return approx_exp2<S>(S::multiply(x, S::broadcast(log2_of_e)));
}

// erf(x) = x P(x^2) / Q(x^2) for |x| <= 4; beyond, erf is 1 as a float. Coefficients: relative
// error minimised over [0, 16] in x^2 by reweighted least squares, 2.5e-8 before rounding to
// floats.
template <class S>
typename S::Float erf(typename S::Float x) {
  constexpr float p[] = {1.128379139F,    0.1935435695F,    0.0531015391F,
                         0.003883279203F, 0.0002845643576F, 1.9867918e-6F};
  constexpr float q[] = {1.0F,           0.5048560783F,   0.1153493753F,
                         0.01520711904F, 0.001185555407F, 3.742019386e-5F};
  const typename S::Float z = clamp<S>(x, -4.0F, 4.0F);
  const typename S::Float t = S::multiply(z, z);
  return S::divide(S::multiply(z, polynomial<S>(t, p)), polynomial<S>(t, q));
}

template <class S>
typename S::Float gelu(typename S::Float x) {
  const typename S::Float half = S::multiply(x, S::broadcast(0.5F));
  return S::fma(half, erf<S>(S::multiply(x, S::broadcast(0.70710678F))), half);
}

// (exp(2x) - 1) / (exp(2x) + 1); beyond 10 tanh is 1 as a float.
template <class S>
typename S::Float tanh(typename S::Float x) {
  const typename S::Float one = S::broadcast(1.0F);
  const typename S::Float z = clamp<S>(x, -10.0F, 10.0F);
  const typename S::Float e = exp<S>(S::add(z, z));
  return S::divide(S::subtract(e, one), S::add(e, one));
}

// x (1/2 + z P(z^2)), where z is x clamped to [-4.2, 4.2]: 11 instructions, gelu has 21. The
// absolute error is at most 1.5e-4, the relative one 2^-11 for x > 0. Coefficients: the error over
// 2^-14 + 2^-11 |GELU(-|x|)| was minimised by reweighted least squares; the CDF is 0 and 1 at the
// ends.
template <class S, int count>
[[gnu::always_inline]] inline void approx_gelu_interleaved(typename S::Float (&x)[count]) {
  constexpr float p[] = {0.398212612F,    -0.0652006045F,   0.00915131625F,  -0.000918838894F,
                         6.31557268e-05F, -2.79464393e-06F, 7.11412369e-08F, -7.87213628e-10F};
  typename S::Float z[count];
  typename S::Float square[count];
  typename S::Float sum[count];
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) z[i] = S::clamp(x[i], 4.2F);
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) square[i] = S::multiply(z[i], z[i]);
  polynomials<S>(square, p, sum);
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) sum[i] = S::fma(z[i], sum[i], S::broadcast(0.5F));
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) x[i] = S::multiply(x[i], sum[i]);
}

// x / (1 + exp(-x (slope + cubic x^2))). Approximate: off by 2^-13 of itself.
template <class S, bool approximate, int count>
[[gnu::always_inline]] inline void sigmoid_gate_interleaved(typename S::Float (&x)[count],
                                                            typename S::Float slope,
                                                            typename S::Float cubic) {
  const typename S::Float one = S::broadcast(1.0F);
  typename S::Float e[count];
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) e[i] = S::fma(S::multiply(x[i], x[i]), cubic, slope);
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) e[i] = S::multiply(S::subtract(S::zero(), x[i]), e[i]);
  if constexpr (approximate) {
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) {
      e[i] = S::min(S::multiply(e[i], S::broadcast(log2_of_e)), S::broadcast(126.0F));
    }
    approx_exp2_interleaved<S>(e);
  } else {
    for (typename S::Float& each : e) each = exp<S>(each);
  }
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) x[i] = S::divide(x[i], S::add(one, e[i]));
}

}  // namespace
}  // namespace headroom::kernels::simd
