#include "engine_peak.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <vector>

#if defined(__x86_64__)
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif
#include <immintrin.h>
#endif

namespace headroom {
namespace {

#if defined(__x86_64__)

constexpr int64_t loops = 200000;
constexpr int chains = 12;  // latency 4, two a cycle at most: 8 would do

__attribute__((target("avx2,fma"))) double avx2_flops() {
  __m256 sums[chains];
  const __m256 factor = _mm256_set1_ps(0.999F);
  for (__m256& sum : sums) sum = factor;
  for (int64_t i = 0; i < loops; ++i) {
#pragma GCC unroll 12
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, factor, factor);
  }
  for (int j = 1; j < chains; ++j) sums[0] = _mm256_add_ps(sums[0], sums[j]);
  volatile float sink = _mm256_cvtss_f32(sums[0]);
  static_cast<void>(sink);
  return 2.0 * 8 * chains * loops;
}

__attribute__((target("avx512f"))) double avx512_flops() {
  __m512 sums[chains];
  const __m512 factor = _mm512_set1_ps(0.999F);
  for (__m512& sum : sums) sum = factor;
  for (int64_t i = 0; i < loops; ++i) {
#pragma GCC unroll 12
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, factor, factor);
  }
  for (int j = 1; j < chains; ++j) sums[0] = _mm512_add_ps(sums[0], sums[j]);
  volatile float sink = _mm512_cvtss_f32(sums[0]);
  static_cast<void>(sink);
  return 2.0 * 16 * chains * loops;
}

__attribute__((target("avx512f,avx512vnni"))) double avx512_vnni_operations() {
  __m512i sums[chains];
  const __m512i ones = _mm512_set1_epi8(1);
  for (__m512i& sum : sums) sum = _mm512_setzero_si512();
  for (int64_t i = 0; i < loops; ++i) {
#pragma GCC unroll 12
    for (__m512i& sum : sums) sum = _mm512_dpbusd_epi32(sum, ones, ones);
  }
  for (int j = 1; j < chains; ++j) sums[0] = _mm512_add_epi32(sums[0], sums[j]);
  volatile int sink = _mm_cvtsi128_si32(_mm512_castsi512_si128(sums[0]));
  static_cast<void>(sink);
  return 8.0 * 16 * chains * loops;
}

__attribute__((target("avx512f,avx512bf16"))) double avx512_bf16_flops() {
  __m512 sums[chains];
  const __m512i ones = _mm512_set1_epi32(0x3f803f80);
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  for (int64_t i = 0; i < loops; ++i) {
#pragma GCC unroll 12
    for (__m512& sum : sums) {
      sum =
          _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(ones), reinterpret_cast<__m512bh>(ones));
    }
  }
  for (int j = 1; j < chains; ++j) sums[0] = _mm512_add_ps(sums[0], sums[j]);
  volatile float sink = _mm512_cvtss_f32(sums[0]);
  static_cast<void>(sink);
  return 4.0 * 16 * chains * loops;
}

// Four tiles of sums, as the product has them: each waits 52 cycles for itself, three others fill
// 48 of them. Not a local variable: g++ does not know that loading it reads more than its first
// bytes.
struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileConfig full_tiles;

// bf16, or int8: twice as many elements in a row of 64 bytes. Tiles are named by literal numbers.
template <bool bf16>
__attribute__((target("amx-tile,amx-bf16,amx-int8"))) double amx_operations() {
  _tile_loadconfig(&full_tiles);
  for (int64_t i = 0; i < loops / 4; ++i) {
    if constexpr (bf16) {
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 4, 7);
      _tile_dpbf16ps(2, 5, 6);
      _tile_dpbf16ps(3, 5, 7);
    } else {
      _tile_dpbusd(0, 4, 6);
      _tile_dpbusd(1, 4, 7);
      _tile_dpbusd(2, 5, 6);
      _tile_dpbusd(3, 5, 7);
    }
  }
  _tile_release();
  return 2.0 * 16 * 16 * (bf16 ? 32 : 64) * loops;
}

#endif

double best_of(double (*work)()) {
  double best = 0;
  for (int i = 0; i < 9; ++i) {
    const auto started = std::chrono::steady_clock::now();
    const double flops = work();
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
    best = std::max(best, flops / elapsed.count() * 1e-9);
  }
  return best;
}

#if defined(__x86_64__)
__attribute__((target_clones("avx512f", "avx2", "default")))
#endif
uint64_t
sum_of(const uint64_t* from, int64_t count) {
  constexpr int64_t step = 32;  // four cache lines
  uint64_t sums[step] = {};
  for (int64_t i = 0; i < count; i += step) {
    for (int64_t j = 0; j < step; ++j) sums[j] += from[i + j];
  }
  uint64_t total = 0;
  for (const uint64_t sum : sums) total += sum;
  return total;
}

}  // namespace

double measured_read_rate(int64_t bytes) {
  const std::vector<uint64_t> buffer(static_cast<size_t>(bytes / 256 * 32), 1);
  const int64_t reads = std::max<int64_t>(1, (int64_t{8} << 20) / bytes);
  double best = 0;
  for (int i = 0; i < 15; ++i) {
    const auto started = std::chrono::steady_clock::now();
    for (int64_t read = 0; read < reads; ++read) {
      volatile uint64_t sink = sum_of(buffer.data(), static_cast<int64_t>(buffer.size()));
      static_cast<void>(sink);
    }
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
    best = std::max(best, 8.0 * static_cast<double>(reads) * static_cast<double>(buffer.size()) /
                              elapsed.count() * 1e-9);
  }
  return best;
}

double measured_peak(Isa isa, Precision precision) {
#if defined(__x86_64__)
  if (precision != Precision::fp32) {
    const bool bf16 = precision == Precision::bf16;
    if (isa == Isa::avx512_bf16) return best_of(bf16 ? avx512_bf16_flops : avx512_vnni_operations);
    return isa == Isa::amx ? best_of(bf16 ? amx_operations<true> : amx_operations<false>) : 0;
  }
  if (isa == Isa::avx2) return best_of(avx2_flops);
  if (isa >= Isa::avx512) return best_of(avx512_flops);
#endif
  static_cast<void>(isa);
  static_cast<void>(precision);
  return 0;
}

}  // namespace headroom
