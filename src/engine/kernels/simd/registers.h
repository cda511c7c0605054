// A row of elements register by register: full registers in a loop without branches, then once the
// first lanes of another, under the same names.
#pragma once

#include <cstdint>

namespace headroom::kernels::simd {
namespace {

template <class S>
struct AllLanes {
  using Float = typename S::Float;
  static Float load(const float* from) { return S::load(from); }
  static Float load_bf16(const uint16_t* from) { return S::load_bf16(from); }
  static Float keep(Float x) { return x; }
  static void store(float* to, Float x) { S::store(to, x); }
  static void store_bf16(uint16_t* to, Float x) { S::store_bf16(to, x); }
  static void store_bytes(uint8_t* to, Float x) { S::store_bytes(to, x); }
};

template <class S>
struct FirstLanes {
  using Float = typename S::Float;
  int64_t count;

  Float load(const float* from) const { return S::load_first(from, count); }
  Float load_bf16(const uint16_t* from) const {
    uint16_t all[S::lanes] = {};
    for (int64_t i = 0; i < count; ++i) all[i] = from[i];
    return S::load_bf16(all);
  }
  Float keep(Float x) const { return S::keep_first(x, count); }
  void store(float* to, Float x) const { S::store_first(to, x, count); }
  void store_bf16(uint16_t* to, Float x) const { S::store_bf16_first(to, x, count); }
  void store_bytes(uint8_t* to, Float x) const {
    uint8_t all[S::lanes];
    S::store_bytes(all, x);
    for (int64_t i = 0; i < count; ++i) to[i] = all[i];
  }
};

// `step(i, lanes)` for every register's first element i in [begin, end).
template <class S, class Step>
void for_each_register(int64_t begin, int64_t end, Step step) {
  int64_t i = begin;
  for (; i + S::lanes <= end; i += S::lanes) step(i, AllLanes<S>{});
  if (i < end) step(i, FirstLanes<S>{end - i});
}

}  // namespace
}  // namespace headroom::kernels::simd
