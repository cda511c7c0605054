// Products of bfloat16 and bytes in AMX tiles of 16 rows by 16 units. The packed panels need no
// other layout: 16 rows of a panel are one tile of weights.
//
// Two by two tiles of sums are held while k runs. `Tiles` is the CPU's, or a plain imitation that
// lets the tests check everything but the instructions themselves on a CPU without them.
#pragma once

#include <cstdint>

#include "engine/kernels/gemm.h"
#include "engine/kernels/gemm_simd.h"

namespace headroom {
namespace {

inline constexpr int64_t tile_rows = 16;
inline constexpr int64_t tile_bytes = 64;  // of a row: 16 units

// Sums leave the tiles without what `out` held before.
template <class S>
struct TileFloatSums : FloatSums<S> {
  static constexpr bool accumulates_late = true;
};

// Up to two row tiles and two panels of one call.
struct TileBlock {
  const GemmCall& call;
  const GemmPanel* panel;
  const uint32_t* start;  // 16 per panel
  int64_t first_row[2];
};

// The last units of a segment, filled up with zeros to a whole tile.
inline void copy_rest(const uint32_t* from, int64_t stride, int64_t rows, int64_t units,
                      uint32_t* to) {
  for (int64_t row = 0; row < tile_rows; ++row) {
    for (int64_t unit = 0; unit < panel_width; ++unit) {
      const bool inside = row < rows && unit < units;
      to[row * panel_width + unit] = inside ? from[row * stride + unit] : 0;
    }
  }
}

template <class Tiles, int row_tiles, int panels>
void multiply_block(const TileBlock& block, int64_t height, float* sums, int64_t sums_stride) {
  const GemmCall& call = block.call;
  const auto* a = static_cast<const uint32_t*>(call.a);
  for (int i = 0; i < row_tiles; ++i) {
    for (int j = 0; j < panels; ++j) Tiles::start(i, j, block.start + j * panel_width);
  }
  alignas(64) uint32_t rest_a[2][tile_rows * panel_width];
  alignas(64) uint32_t rest_b[2][tile_rows * panel_width];
  for (int64_t s = 0; s < call.segment_count; ++s) {
    const GemmSegment& segment = call.segments[s];
    const int64_t whole = segment.length / panel_width * panel_width;
    const auto row = [&](int i) { return a + block.first_row[i] * call.a_stride + segment.a; };
    const auto weights = [&](int j) {
      return static_cast<const uint32_t*>(block.panel[j].weights) + segment.b * panel_width;
    };
    for (int64_t k = 0; k < whole; k += panel_width) {
      for (int i = 0; i < row_tiles; ++i) Tiles::load_a(i, row(i) + k, call.a_stride * 4);
      for (int j = 0; j < panels; ++j) {
        Tiles::load_b(j, weights(j) + k * panel_width, tile_bytes);
      }
      Tiles::template multiply<row_tiles, panels>();
    }
    const int64_t rest = segment.length - whole;
    if (rest == 0) continue;
    for (int i = 0; i < row_tiles; ++i) {
      copy_rest(row(i) + whole, call.a_stride, height, rest, rest_a[i]);
      Tiles::load_a(i, rest_a[i], tile_bytes);
    }
    for (int j = 0; j < panels; ++j) {
      copy_rest(weights(j) + whole * panel_width, panel_width, rest, panel_width, rest_b[j]);
      Tiles::load_b(j, rest_b[j], tile_bytes);
    }
    Tiles::template multiply<row_tiles, panels>();
  }
  for (int i = 0; i < row_tiles; ++i) {
    for (int j = 0; j < panels; ++j) {
      Tiles::store(i, j, sums + i * tile_rows * sums_stride + j * panel_width, sums_stride * 4);
    }
  }
}

template <class S, class Sums>
void start_panel(const GemmCall& call, const GemmPanel& panel, uint32_t* start) {
  if constexpr (Sums::whole_numbers) {
    start_whole_sums<S, Sums>(call, panel, start);
  } else {
    for (int64_t n = 0; n < panel_width; n += S::lanes) {
      S::store(reinterpret_cast<float*>(start + n),
               panel.bias != nullptr ? S::load(panel.bias + n) : S::zero());
    }
  }
}

// `Sums`: TileFloatSums, or a product of bytes whose add() gives the sums' start.
template <class S, class Tiles, class Sums>
void gemm_amx(const GemmCall& call) {
  constexpr int64_t width = 2 * panel_width;
  alignas(64) float sums[2 * tile_rows * width];
  alignas(64) uint32_t start[width];
  const int64_t height = call.rows < tile_rows ? call.rows : tile_rows;
  const int64_t tiles = (call.rows + tile_rows - 1) / tile_rows;
  if (call.rows == 0) return;
  Tiles::configure(height);
  for (int64_t p = 0; p < call.panel_count; p += 2) {
    const int64_t panels = call.panel_count - p < 2 ? 1 : 2;
    const GemmPanel* panel = call.panels + p;
    for (int64_t j = 0; j < panels; ++j) {
      start_panel<S, Sums>(call, panel[j], start + j * panel_width);
    }
    for (int64_t t = 0; t < tiles; t += 2) {
      const int64_t row_tiles = tiles - t < 2 ? 1 : 2;
      TileBlock block{call, panel, start, {}};
      for (int64_t i = 0; i < row_tiles; ++i) {
        // The last tile ends with the last row; what it shares with the one before is not kept.
        const int64_t row = (t + i) * tile_rows;
        block.first_row[i] = row < call.rows - height ? row : call.rows - height;
      }
      if (row_tiles == 2) {
        panels == 2 ? multiply_block<Tiles, 2, 2>(block, height, sums, width)
                    : multiply_block<Tiles, 2, 1>(block, height, sums, width);
      } else {
        panels == 2 ? multiply_block<Tiles, 1, 2>(block, height, sums, width)
                    : multiply_block<Tiles, 1, 1>(block, height, sums, width);
      }
      for (int64_t i = 0; i < row_tiles; ++i) {
        const int64_t row = (t + i) * tile_rows;
        const int64_t shared = row - block.first_row[i];
        for (int64_t j = 0; j < panels; ++j) {
          const float* from = sums + (i * tile_rows + shared) * width + j * panel_width;
          finish_tile<S, Sums>(call, row, height - shared, panel[j], from, width);
        }
      }
    }
  }
  Tiles::release();
}

}  // namespace
}  // namespace headroom
