// AMX's tiles under the names that gemm_amx.h uses. Only for files compiled with its flags.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace headroom {
namespace {

enum class TileNumbers { bf16, bytes };

// Tiles 0 to 3 hold sums (row tile i, panel j in 2 i + j), 4 and 5 rows of `a`, 6 and 7 weights.
// The instructions want their tiles' numbers in the text of the program, hence the branches; they
// vanish when loops over constants are unrolled.
template <TileNumbers numbers>
struct AmxTiles {
  static void configure(int64_t height) {
    struct alignas(64) Config {
      uint8_t palette = 1;
      uint8_t start_row = 0;
      uint8_t reserved[14] = {};
      uint16_t bytes[16] = {};
      uint8_t rows[16] = {};
    } config;
    for (int tile = 0; tile < 8; ++tile) {
      config.bytes[tile] = 64;
      config.rows[tile] = tile < 6 ? static_cast<uint8_t>(height) : 16;
    }
    settle();
    _tile_loadconfig(&config);
  }
  static void release() { _tile_release(); }

  // g++ does not know that a tile load reads memory: without this, what was just written for it to
  // read may be written too late.
  static void settle() { __asm__ volatile("" ::: "memory"); }

  static void clear(int i, int j) {
    if (i == 0 && j == 0) _tile_zero(0);
    if (i == 0 && j == 1) _tile_zero(1);
    if (i == 1 && j == 0) _tile_zero(2);
    if (i == 1 && j == 1) _tile_zero(3);
  }
  static void load_a(int i, const uint32_t* from, int64_t stride) {
    settle();
    if (i == 0) _tile_loadd(4, from, stride);
    if (i == 1) _tile_loadd(5, from, stride);
  }
  // Rows that are not read again soon.
  static void stream_a(int i, const uint32_t* from, int64_t stride) {
    settle();
    if (i == 0) _tile_stream_loadd(4, from, stride);
    if (i == 1) _tile_stream_loadd(5, from, stride);
  }
  static void load_b(int j, const uint32_t* from, int64_t stride) {
    settle();
    if (j == 0) _tile_loadd(6, from, stride);
    if (j == 1) _tile_loadd(7, from, stride);
  }
  template <int row_tiles, int panels>
  static void multiply() {
    if constexpr (numbers == TileNumbers::bf16) {
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
}  // namespace headroom
