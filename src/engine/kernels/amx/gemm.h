// bf16 and int8 products in AMX tiles of 16 rows by 16 lanes. The packed panels need no other
// layout: 16 rows of a panel are one tile of B.
//
// Two by two tiles of sums are held while k runs: 4 products per 4 loads. Of the eight tiles 4 are
// sums, 2 rows of A and 2 panels of B. `Tiles` is the CPU's, or an imitation in plain C++ with
// which tests check everything but the instructions themselves on a CPU without AMX.
#pragma once

#include <cstdint>

#include "engine/kernels/gemm.h"
#include "engine/kernels/simd/gemm.h"

namespace headroom::kernels::amx {
namespace {

inline constexpr int64_t tile_rows = 16;   // of every tile: the hardware's maximum
inline constexpr int64_t tile_bytes = 64;  // of a row, the hardware's maximum: 16 lanes

template <int n>
struct Constant {
  static constexpr int value = n;
};

// f with `count`, 1 or 2, as a constant: tiles are named by immediate operands.
template <class F>
[[gnu::always_inline]] inline void with_constant(int64_t count, F f) {
  count == 2 ? f(Constant<2>{}) : f(Constant<1>{});
}

// Accumulators start at 0 in the tiles: a tile load of what was just written waits until every
// store before it has left the store buffer, which took a seventh of the time of BERT-Mini's
// products.
template <class Sums>
struct TileSums : Sums {
  static constexpr bool late_start = true;
};

// Up to two row tiles and two panels of one call.
struct TileBlock {
  const GemmPanel* panel = nullptr;
  int64_t panels = 0;
  int64_t row_tiles = 0;
  int64_t row[2] = {};       // the first that each tile computes
  int64_t tile_row[2] = {};  // the first in it: the last tile ends with the last row, and overlaps
};

// rows x lanes, the remainder of a segment, padded with zeros to a full tile.
inline void copy_padded(const uint32_t* from, int64_t stride, int64_t rows, int64_t lanes,
                        uint32_t* to) {
  for (int64_t row = 0; row < tile_rows; ++row) {
    for (int64_t lane = 0; lane < panel_width; ++lane) {
      const bool inside = row < rows && lane < lanes;
      to[row * panel_width + lane] = inside ? from[row * stride + lane] : 0;
    }
  }
}

// The previous block, whose sums have left the tiles. Its epilogue runs a few rows at a time
// between two steps of k, so that vector and tile units work at once: one after the other, GELU
// made BERT-Mini's up projection take 1.2 times as long.
template <class S, class Sums>
class PendingBlock {
 public:
  static constexpr int64_t width = 2 * panel_width;
  static constexpr int64_t rows_at_once = 4;  // a part: what AVX-512's epilogue interleaves
  static_assert(S::lanes < panel_width || S::interleaved_rows == rows_at_once);
  static constexpr int64_t parts = 2 * tile_rows / rows_at_once;

  PendingBlock(const GemmCall& call, int64_t height)
      : call_(call),
        write_single_(simd::write_function<S, Sums, 1>(call)),
        write_pair_(simd::write_function<S, Sums, 2>(call)),
        write_block_(simd::write_function<S, Sums, 2, true>(call)),
        height_(height) {
    next_.stride = width;
    next_.compensation = compensation_;
  }

  // Where the block that is being computed stores its sums: 32 x 32.
  float* next_sums() { return sums_[1 - current_]; }

  // Makes that block the pending one; the previous one must be finished.
  void push(const TileBlock& block) {
    block_ = block;
    current_ = 1 - current_;
    const bool pair = adjacent(block);
    write_ = S::lanes < panel_width || pair ? write_pair_ : write_single_;
    write_full_ = S::lanes == panel_width && pair ? write_block_ : write_;
    if constexpr (Sums::integer_sums) compensate(block);
    next_.panel = block.panel;
    next_.panels = block.panels;
    tile_ = -1;
    begin_tile();
  }

  void finish_part() {
    if (rows_left_ == 0) return;
    next_.rows = rows_left_ < rows_at_once ? rows_left_ : rows_at_once;
    (next_.rows == rows_at_once ? write_full_ : write_)(call_, next_);
    rows_left_ -= next_.rows;
    next_.row += next_.rows;
    next_.sums += next_.rows * width;
    if (rows_left_ == 0) begin_tile();
  }
  void finish_rest() {
    while (rows_left_ > 0) finish_part();
  }

 private:
  // The next row tile, if there is one, without the rows in which it overlaps the previous one.
  void begin_tile() {
    if (++tile_ == block_.row_tiles) return;
    const int64_t overlap = block_.row[tile_] - block_.tile_row[tile_];
    rows_left_ = height_ - overlap;
    next_.row = block_.row[tile_];
    next_.sums = sums_[current_] + (tile_ * tile_rows + overlap) * width;
  }

  // Once for all rows of a panel.
  void compensate(const TileBlock& block) {
    if (compensated_ == block.panel) return;
    compensated_ = block.panel;
    for (int64_t j = 0; j < block.panels; ++j) {
      simd::compute_compensation<S, Sums>(call_, block.panel[j], compensation_ + j * panel_width);
    }
  }

  // Whether the two panels' results are neighbours in memory.
  bool adjacent(const TileBlock& block) const {
    if (block.panels < 2) return false;
    const GemmPanel& left = block.panel[0];
    const GemmPanel& right = block.panel[1];
    const int64_t bytes = panel_width * size_of(call_.out);
    return static_cast<const char*>(left.out) + bytes == right.out &&
           left.out_stride == right.out_stride;
  }

  const GemmCall& call_;
  simd::WriteFunction write_single_;  // panel by panel
  simd::WriteFunction write_pair_;    // two adjacent panels
  simd::WriteFunction write_block_;   // the same, rows_at_once rows interleaved
  simd::WriteFunction write_ = nullptr;
  simd::WriteFunction write_full_ = nullptr;  // for rows_at_once rows
  int64_t height_;                            // of a tile, in rows
  TileBlock block_;
  int current_ = 0;
  int64_t tile_ = 0;
  int64_t rows_left_ = 0;  // of that tile
  simd::SumRows next_;
  const GemmPanel* compensated_ = nullptr;
  alignas(64) float sums_[2][2 * tile_rows * width];
  alignas(64) uint32_t compensation_[2 * panel_width];
};

// When to write a part of the pending block: evenly over the steps of k.
class Pace {
 public:
  Pace(const GemmCall& call, int64_t parts) : parts_(parts) {
    for (int64_t s = 0; s < call.segment_count; ++s) {
      steps_ += call.segments[s].length / panel_width;
    }
  }

  // How many parts after this step.
  int64_t step() {
    int64_t due = 0;
    for (left_ += parts_; left_ >= steps_; left_ -= steps_) ++due;
    return due;
  }

 private:
  int64_t parts_;
  int64_t steps_ = 0;
  int64_t left_ = 0;
};

// The next two panels, prefetched from L3 to L2 while these are multiplied: the hardware prefetcher
// stops at page boundaries, and a model's weights do not stay in L2. Evenly over the blocks of rows
// and between the loads of a step, because a burst of requests delays the others' reads from L2.
struct Prefetch {
  const GemmPanel* panel = nullptr;  // null: nothing to fetch
  int64_t row_block = 0;

  // `lines` cache lines of each panel at a step of k.
  const uint32_t* start(int64_t j, const GemmSegment& segment, int64_t lines) const {
    const int64_t row = segment.b + row_block * lines * (segment.length / panel_width);
    return static_cast<const uint32_t*>(panel[j].weights) + row * panel_width;
  }
};

// g++ removes a function that only prefetches as having no effect, unless it is inlined at once.
template <int lines>
[[gnu::always_inline]] inline void prefetch_lines(const uint32_t* first) {
#pragma GCC unroll 16
  for (int line = 0; line < lines; ++line) __builtin_prefetch(first + line * panel_width, 0, 2);
}

// A: up to 32 x K, B: K x up to 32, sums: up to 32 x 32. `lines`: to be prefetched of each next
// panel at a step of k; 16 if there is one block of rows.
template <class Tiles, class Sums, int lines, int row_tiles, int panels, class Pending>
void multiply_block(const GemmCall& call, const TileBlock& block, const Prefetch& next,
                    int64_t height, Pace pace, Pending& pending) {
  for (int i = 0; i < row_tiles; ++i) {
    for (int j = 0; j < panels; ++j) Tiles::zero(i, j);
  }
  const int64_t stride = call.a_stride * 4;
  // One block of rows stays in L1 for the next panels; more would only evict these weights from it.
  constexpr bool rows_stay = lines == tile_rows;
  const bool fetches = panels == 2 && next.panel != nullptr;
  alignas(64) uint32_t padded_a[2][tile_rows * panel_width];
  alignas(64) uint32_t padded_b[2][tile_rows * panel_width];
  for (int64_t s = 0; s < call.segment_count; ++s) {
    const GemmSegment segment = call.segments[s];
    const int64_t full = segment.length / panel_width * panel_width;
    const uint32_t* a[row_tiles];
    const uint32_t* b[panels];
    const uint32_t* ahead[2] = {};
    for (int i = 0; i < row_tiles; ++i) {
      a[i] = static_cast<const uint32_t*>(call.a) + block.tile_row[i] * call.a_stride + segment.a;
    }
    for (int j = 0; j < panels; ++j) {
      const int64_t offset = segment.b * panel_width;
      b[j] = static_cast<const uint32_t*>(block.panel[j].weights) + offset;
      if (fetches) ahead[j] = next.start(j, segment, lines);
    }
    constexpr int half = lines / 2;
    for (int64_t k = 0; k < full; k += panel_width) {
      for (int i = 0; i < row_tiles; ++i) {
        rows_stay ? Tiles::load_a(i, a[i] + k, stride) : Tiles::stream_a(i, a[i] + k, stride);
        if (fetches) prefetch_lines<half>(ahead[0] + i * half * panel_width);
      }
      for (int j = 0; j < panels; ++j) {
        Tiles::load_b(j, b[j] + k * panel_width, tile_bytes);
        if (fetches) prefetch_lines<half>(ahead[1] + j * half * panel_width);
      }
      Tiles::template multiply<row_tiles, panels>();
      if (fetches) {
        if constexpr (row_tiles == 1) prefetch_lines<half>(ahead[0] + half * panel_width);
        ahead[0] += lines * panel_width;
        ahead[1] += lines * panel_width;
      }
      for (int64_t due = pace.step(); due > 0; --due) pending.finish_part();
    }
    const int64_t rest = segment.length - full;
    if (rest == 0) continue;
    for (int i = 0; i < row_tiles; ++i) {
      copy_padded(a[i] + full, call.a_stride, height, rest, padded_a[i]);
      Tiles::load_a(i, padded_a[i], tile_bytes);
    }
    for (int j = 0; j < panels; ++j) {
      copy_padded(b[j] + full * panel_width, panel_width, rest, panel_width, padded_b[j]);
      Tiles::load_b(j, padded_b[j], tile_bytes);
    }
    Tiles::template multiply<row_tiles, panels>();
  }
  if (simd::sums_are_results<Sums>(call)) {  // attention's scores: K is one step
    for (int i = 0; i < row_tiles; ++i) {
      for (int j = 0; j < panels; ++j) {
        const GemmPanel& panel = block.panel[j];
        Tiles::store(i, j, static_cast<float*>(panel.out) + block.tile_row[i] * panel.out_stride,
                     panel.out_stride * 4);
      }
    }
    return;
  }
  for (int i = 0; i < row_tiles; ++i) {
    for (int j = 0; j < panels; ++j) {
      Tiles::store(i, j, pending.next_sums() + i * tile_rows * Pending::width + j * panel_width,
                   Pending::width * 4);
    }
  }
  pending.finish_rest();
  pending.push(block);
}

// `Sums`: TileSums of FloatSums, or of an int8 product whose add() computes the compensation.
template <class S, class Tiles, class Sums, int lines>
void multiply_blocks(const GemmCall& call) {
  const int64_t height = call.rows < tile_rows ? call.rows : tile_rows;
  const int64_t tiles = (call.rows + tile_rows - 1) / tile_rows;
  PendingBlock<S, Sums> pending(call, height);
  const Pace pace(call, pending.parts);
  Tiles::configure(height);
  for (int64_t p = 0; p < call.panel_count; p += 2) {
    const int64_t left = call.panel_count - p;
    TileBlock block;
    block.panel = call.panels + p;
    block.panels = left < 2 ? 1 : 2;
    for (int64_t t = 0; t < tiles; t += 2) {
      block.row_tiles = tiles - t < 2 ? 1 : 2;
      for (int64_t i = 0; i < block.row_tiles; ++i) {
        block.row[i] = (t + i) * tile_rows;
        block.tile_row[i] = block.row[i] < call.rows - height ? block.row[i] : call.rows - height;
      }
      const bool more = left >= 4 && t / 2 * lines < tile_rows;  // to be prefetched in this block
      const Prefetch next = {more ? block.panel + 2 : nullptr, t / 2};
      with_constant(block.row_tiles, [&](auto row_tiles) {
        with_constant(block.panels, [&](auto panels) {
          multiply_block<Tiles, Sums, lines, row_tiles.value, panels.value>(call, block, next,
                                                                            height, pace, pending);
        });
      });
    }
  }
  pending.finish_rest();
  Tiles::release();
}

// A: M x K row-major, B: K x N in panels of 16 columns, out: M x N row-major.
template <class S, class Tiles, class Sums>
void gemm(const GemmCall& call) {
  if (call.rows == 0) return;
  // How many of a tile's 16 cache lines each block of 32 rows prefetches, a constant: a loop over
  // them takes three times as many instructions.
  const int64_t blocks = (call.rows + 2 * tile_rows - 1) / (2 * tile_rows);
  if (blocks == 1) {
    multiply_blocks<S, Tiles, Sums, 16>(call);
  } else if (blocks <= 3) {
    multiply_blocks<S, Tiles, Sums, 8>(call);
  } else {
    blocks <= 7 ? multiply_blocks<S, Tiles, Sums, 4>(call)
                : multiply_blocks<S, Tiles, Sums, 2>(call);
  }
}

}  // namespace
}  // namespace headroom::kernels::amx
