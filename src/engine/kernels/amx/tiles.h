// AMX's tiles under the names that gemm.h and head_attention.h use. Only for files compiled with
// its flags.
#pragma once

#include <cstdint>

#include "engine/kernels/simd/x86.h"

namespace headroom::kernels::amx {
namespace {

enum class TileElement { bf16, int8 };

// Of the eight tiles, 0 to 3 hold sums (row tile i, panel j in 2 i + j), 4 and 5 rows of A, 6 and 7
// panels of B. Tile numbers are immediate operands, hence the branches; they vanish when loops over
// constants are unrolled.
template <TileElement element>
struct Tiles {
  // `rows` of A and of the sums; B always has 16.
  static void configure(int64_t rows) {
    struct alignas(64) Config {
      uint8_t palette = 1;
      uint8_t start_row = 0;
      uint8_t reserved[14] = {};
      uint16_t bytes[16] = {};
      uint8_t rows[16] = {};
    } config;
    for (int tile = 0; tile < 8; ++tile) {
      config.bytes[tile] = 64;
      config.rows[tile] = tile < 6 ? static_cast<uint8_t>(rows) : 16;
    }
    compiler_barrier();
    _tile_loadconfig(&config);
  }
  static void release() { _tile_release(); }

  // g++ does not know that a tile load reads memory: without this, stores of what it reads may be
  // moved behind it.
  static void compiler_barrier() { __asm__ volatile("" ::: "memory"); }

  static void zero(int i, int j) {
    if (i == 0 && j == 0) _tile_zero(0);
    if (i == 0 && j == 1) _tile_zero(1);
    if (i == 1 && j == 0) _tile_zero(2);
    if (i == 1 && j == 1) _tile_zero(3);
  }
  static void load_a(int i, const uint32_t* from, int64_t stride) {  // bytes
    compiler_barrier();
    if (i == 0) _tile_loadd(4, from, stride);
    if (i == 1) _tile_loadd(5, from, stride);
  }
  // Rows that are not read again soon.
  static void stream_a(int i, const uint32_t* from, int64_t stride) {
    compiler_barrier();
    if (i == 0) _tile_stream_loadd(4, from, stride);
    if (i == 1) _tile_stream_loadd(5, from, stride);
  }
  static void load_b(int j, const uint32_t* from, int64_t stride) {
    compiler_barrier();
    if (j == 0) _tile_loadd(6, from, stride);
    if (j == 1) _tile_loadd(7, from, stride);
  }
  template <int row_tiles, int panels>
  static void multiply() {
    if constexpr (element == TileElement::bf16) {
      _tile_dpbf16ps(0, 4, 6);
      if constexpr (panels == 2) _tile_dpbf16ps(1, 4, 7);
      if constexpr (row_tiles == 2) _tile_dpbf16ps(2, 5, 6);
      if constexpr (row_tiles == 2 && panels == 2) _tile_dpbf16ps(3, 5, 7);
    } else {
      _tile_dpbusd(0, 4, 6);
      if constexpr (panels == 2) _tile_dpbusd(1, 4, 7);
      if constexpr (row_tiles == 2) _tile_dpbusd(2, 5, 6);
      if constexpr (row_tiles == 2 && panels == 2) _tile_dpbusd(3, 5, 7);
    }
  }
  static void store(int i, int j, float* to, int64_t stride) {
    if (i == 0 && j == 0) _tile_stored(0, to, stride);
    if (i == 0 && j == 1) _tile_stored(1, to, stride);
    if (i == 1 && j == 0) _tile_stored(2, to, stride);
    if (i == 1 && j == 1) _tile_stored(3, to, stride);
  }
};

}  // namespace
}  // namespace headroom::kernels::amx
