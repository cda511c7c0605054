// exp, erf, GELU and tanh of a register of floats, for any instruction set; and coarse ones for
// results that are rounded to bfloat16 or bytes next, which keep 9 bits of them at most.
#pragma once

namespace headroom {
namespace {

inline constexpr float log2_of_e = 1.44269504F;

// c[0] + c[1] x + c[2] x^2 + ... of all registers in step: see gemm_simd.h.
template <class S, int registers, int count>
[[gnu::always_inline]] inline void polynomials(const typename S::Float (&x)[registers],
                                               const float (&c)[count],
                                               typename S::Float (&sums)[registers]) {
#pragma GCC unroll 16
  for (int i = 0; i < registers; ++i) sums[i] = S::spread(c[count - 1]);
#pragma GCC unroll 16
  for (int n = count - 2; n >= 0; --n) {
#pragma GCC unroll 16
    for (int i = 0; i < registers; ++i) sums[i] = S::multiply_add(sums[i], x[i], S::spread(c[n]));
  }
}
template <class S, int count>
typename S::Float polynomial(typename S::Float x, const float (&c)[count]) {
  const typename S::Float one[1] = {x};
  typename S::Float sum[1];
  polynomials<S>(one, c, sum);
  return sum[0];
}

// exp(x) = 2^n exp(r) with |r| <= ln(2) / 2, where Taylor's series up to r^6 is off by 1.2e-7 at
// most. ln(2) is split in two so that r keeps its bits.
template <class S>
typename S::Float exp_of(typename S::Float x) {
  constexpr float taylor[] = {1.0F, 1.0F, 1.0F / 2, 1.0F / 6, 1.0F / 24, 1.0F / 120, 1.0F / 720};
  const typename S::Float lowest = S::spread(-87.0F);
  const typename S::Float bounded = S::larger(S::smaller(x, S::spread(88.0F)), lowest);
  const typename S::Float n = S::nearest_whole(S::multiply(bounded, S::spread(log2_of_e)));
  typename S::Float r = S::multiply_add(n, S::spread(-0.693359375F), bounded);
  r = S::multiply_add(n, S::spread(2.12194440e-4F), r);
  return S::zero_where_less(S::times_power_of_two(polynomial<S>(r, taylor), n), x, lowest);
}

// Of x <= 127, to 2^-13 of the result; below -125 it stays above 1e-38. 2^x = 2^n 2^r with |r| <=
// 1/2, where the cubic's error was minimised by reweighted least squares. Of all registers in step:
// see gemm_simd.h.
template <class S, int count>
[[gnu::always_inline]] inline void coarse_powers_of_two(typename S::Float (&x)[count]) {
  constexpr float p[] = {0.999928057F, 0.693260968F, 0.242611274F, 0.0551716909F};
  typename S::Float n[count];
  typename S::Float sum[count];
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) x[i] = S::larger(x[i], S::spread(-125.0F));
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) n[i] = S::nearest_whole(x[i]);
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) x[i] = S::subtract(x[i], n[i]);
  polynomials<S>(x, p, sum);
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) x[i] = S::times_power_of_two(sum[i], n[i]);
}
template <class S>
typename S::Float coarse_power_of_two(typename S::Float x) {
  typename S::Float one[1] = {x};
  coarse_powers_of_two<S>(one);
  return one[0];
}

// Of x <= 88, with the same error.
template <class S>
typename S::Float coarse_exp_of(typename S::Float x) {
  return coarse_power_of_two<S>(S::multiply(x, S::spread(log2_of_e)));
}

// erf(x) = x P(x^2) / Q(x^2) for |x| <= 4; beyond, erf is 1 as a float. Coefficients: relative
// error minimised over [0, 16] in x^2 by reweighted least squares, 2.5e-8 before rounding to
// floats.
template <class S>
typename S::Float erf_of(typename S::Float x) {
  constexpr float p[] = {1.128379139F,    0.1935435695F,    0.0531015391F,
                         0.003883279203F, 0.0002845643576F, 1.9867918e-6F};
  constexpr float q[] = {1.0F,           0.5048560783F,   0.1153493753F,
                         0.01520711904F, 0.001185555407F, 3.742019386e-5F};
  const typename S::Float z = S::larger(S::smaller(x, S::spread(4.0F)), S::spread(-4.0F));
  const typename S::Float t = S::multiply(z, z);
  return S::divide(S::multiply(z, polynomial<S>(t, p)), polynomial<S>(t, q));
}

template <class S>
typename S::Float gelu_of(typename S::Float x) {
  const typename S::Float half = S::multiply(x, S::spread(0.5F));
  return S::multiply_add(half, erf_of<S>(S::multiply(x, S::spread(0.70710678F))), half);
}

// (exp(2x) - 1) / (exp(2x) + 1); beyond 10 tanh is 1 as a float.
template <class S>
typename S::Float tanh_of(typename S::Float x) {
  const typename S::Float one = S::spread(1.0F);
  const typename S::Float z = S::larger(S::smaller(x, S::spread(10.0F)), S::spread(-10.0F));
  const typename S::Float e = exp_of<S>(S::add(z, z));
  return S::divide(S::subtract(e, one), S::add(e, one));
}

// x (1/2 + z P(z^2)), where z is x cut to [-4.2, 4.2]: 11 instructions, gelu_of has 21. Off by at
// most 1.5e-4, and for x > 0 by 2^-11 of the result. Coefficients: 2^-14 + 2^-11 |GELU(-|x|)| as
// the unit of the error, minimised by reweighted least squares; the probability is 0 and 1 at the
// ends. Of all registers in step: see gemm_simd.h.
template <class S, int count>
[[gnu::always_inline]] inline void coarse_gelu_in_step(typename S::Float (&x)[count]) {
  constexpr float p[] = {0.398212612F,    -0.0652006045F,   0.00915131625F,  -0.000918838894F,
                         6.31557268e-05F, -2.79464393e-06F, 7.11412369e-08F, -7.87213628e-10F};
  typename S::Float z[count];
  typename S::Float square[count];
  typename S::Float sum[count];
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) z[i] = S::cut(x[i], 4.2F);
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) square[i] = S::multiply(z[i], z[i]);
  polynomials<S>(square, p, sum);
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) sum[i] = S::multiply_add(z[i], sum[i], S::spread(0.5F));
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) x[i] = S::multiply(x[i], sum[i]);
}

}  // namespace
}  // namespace headroom
