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

// Sums start at 0 in the tiles: a tile load of what was just written waits until every store before
// it has left the store buffer, which took a seventh of the time of BERT-Mini's products.
template <class Sums>
struct TileSums : Sums {
  static constexpr bool late = true;
};

// Up to two row tiles and two panels of one call.
struct TileBlock {
  const GemmPanel* panel = nullptr;
  int64_t panels = 0;
  int64_t row_tiles = 0;
  int64_t row[2] = {};        // the first that each tile is there for
  int64_t first_row[2] = {};  // the first in it: the last tile ends with the last row
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

// The block before, whose sums have left the tiles. It is finished a few rows at a time between two
// steps of k, so that vectors and tiles work at once: with one after the other, GELU made
// BERT-Mini's up projection take 1.2 times as long.
template <class S, class Sums>
class PendingBlock {
 public:
  static constexpr int64_t width = 2 * panel_width;
  static constexpr int64_t rows_at_once = 4;  // a part of a tile; what AVX-512 does in step
  static_assert(S::lanes < panel_width || S::rows_in_step == rows_at_once);
  static constexpr int64_t parts = 2 * tile_rows / rows_at_once;

  PendingBlock(const GemmCall& call, int64_t height)
      : call_(call),
        finish_apart_(finish_function<S, Sums, 1>(call)),
        finish_pair_(finish_function<S, Sums, 2>(call)),
        finish_part_(finish_function<S, Sums, 2, true>(call)),
        height_(height) {
    next_.stride = width;
    next_.start = start_;
  }

  float* room() { return sums_[1 - now_]; }  // for the sums of the block that is being computed

  // What was put there; the block before must be finished.
  void take(const TileBlock& block) {
    block_ = block;
    now_ = 1 - now_;
    const bool pair = side_by_side(block);
    finish_ = S::lanes < panel_width || pair ? finish_pair_ : finish_apart_;
    whole_part_ = S::lanes == panel_width && pair ? finish_part_ : finish_;
    if constexpr (Sums::whole_numbers) start_sums(block);
    next_.panel = block.panel;
    next_.panels = block.panels;
    tile_ = -1;
    begin_tile();
  }

  void finish_part() {
    if (rows_left_ == 0) return;
    next_.rows = rows_left_ < rows_at_once ? rows_left_ : rows_at_once;
    (next_.rows == rows_at_once ? whole_part_ : finish_)(call_, next_);
    rows_left_ -= next_.rows;
    next_.row += next_.rows;
    next_.at += next_.rows * width;
    if (rows_left_ == 0) begin_tile();
  }
  void finish_rest() {
    while (rows_left_ > 0) finish_part();
  }

 private:
  // The next row tile, if there is one, without the rows that it shares with the one before.
  void begin_tile() {
    if (++tile_ == block_.row_tiles) return;
    const int64_t shared = block_.row[tile_] - block_.first_row[tile_];
    rows_left_ = height_ - shared;
    next_.row = block_.row[tile_];
    next_.at = sums_[now_] + (tile_ * tile_rows + shared) * width;
  }

  // The same for all rows of a panel.
  void start_sums(const TileBlock& block) {
    if (started_ == block.panel) return;
    started_ = block.panel;
    for (int64_t j = 0; j < block.panels; ++j) {
      start_whole_sums<S, Sums>(call_, block.panel[j], start_ + j * panel_width);
    }
  }

  // Whether the two panels' results are neighbours.
  bool side_by_side(const TileBlock& block) const {
    if (block.panels < 2) return false;
    const GemmPanel& left = block.panel[0];
    const GemmPanel& right = block.panel[1];
    const int64_t bytes = panel_width * size_of(call_.out);
    return static_cast<const char*>(left.out) + bytes == right.out &&
           left.out_stride == right.out_stride;
  }

  const GemmCall& call_;
  FinishFunction finish_apart_;
  FinishFunction finish_pair_;
  FinishFunction finish_part_;
  FinishFunction finish_ = nullptr;
  FinishFunction whole_part_ = nullptr;  // for as many rows as there usually are
  int64_t height_;
  TileBlock block_;
  int now_ = 0;
  int64_t tile_ = 0;
  int64_t rows_left_ = 0;  // of that tile
  SumRows next_;
  const GemmPanel* started_ = nullptr;
  alignas(64) float sums_[2][2 * tile_rows * width];
  alignas(64) uint32_t start_[2 * panel_width];
};

// When to finish a part of the block before: evenly over the steps of k.
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

// The panels to come, fetched from L3 to L2 while these are multiplied: the CPU's own prefetching
// ends with each page, and a model's weights do not stay in L2. Evenly over the blocks of rows and
// between the loads of a step, because a burst of requests holds up what the others read from L2.
struct PanelsAhead {
  const GemmPanel* panel = nullptr;  // null: nothing to fetch
  int64_t turn = 0;                  // a block of rows

  // `lines` of each panel at a step of k.
  const uint32_t* start(int64_t j, const GemmSegment& segment, int64_t lines) const {
    const int64_t row = segment.b + turn * lines * (segment.length / panel_width);
    return static_cast<const uint32_t*>(panel[j].weights) + row * panel_width;
  }
};

// g++ takes a function that only fetches for one without effects, unless it is inlined at once.
template <int lines>
[[gnu::always_inline]] inline void fetch_lines(const uint32_t* at) {
#pragma GCC unroll 16
  for (int line = 0; line < lines; ++line) __builtin_prefetch(at + line * panel_width, 0, 2);
}

// `lines`: to be fetched of each panel to come at a step of k; 16 if there is one block of rows.
template <class Tiles, class Sums, int lines, int row_tiles, int panels, class Pending>
void multiply_block(const GemmCall& call, const TileBlock& block, const PanelsAhead& next,
                    int64_t height, Pace pace, Pending& pending) {
  for (int i = 0; i < row_tiles; ++i) {
    for (int j = 0; j < panels; ++j) Tiles::clear(i, j);
  }
  const int64_t stride = call.a_stride * 4;
  // In L1, for the next panels. More rows would only drive these weights out of it.
  constexpr bool rows_stay = lines == tile_rows;
  const bool fetches = panels == 2 && next.panel != nullptr;
  alignas(64) uint32_t rest_a[2][tile_rows * panel_width];
  alignas(64) uint32_t rest_b[2][tile_rows * panel_width];
  for (int64_t s = 0; s < call.segment_count; ++s) {
    const GemmSegment segment = call.segments[s];
    const int64_t whole = segment.length / panel_width * panel_width;
    const uint32_t* a[row_tiles];
    const uint32_t* b[panels];
    const uint32_t* ahead[2] = {};
    for (int i = 0; i < row_tiles; ++i) {
      a[i] = static_cast<const uint32_t*>(call.a) + block.first_row[i] * call.a_stride + segment.a;
    }
    for (int j = 0; j < panels; ++j) {
      const int64_t place = segment.b * panel_width;
      b[j] = static_cast<const uint32_t*>(block.panel[j].weights) + place;
      if (fetches) ahead[j] = next.start(j, segment, lines);
    }
    constexpr int half = lines / 2;
    for (int64_t k = 0; k < whole; k += panel_width) {
      for (int i = 0; i < row_tiles; ++i) {
        rows_stay ? Tiles::load_a(i, a[i] + k, stride) : Tiles::stream_a(i, a[i] + k, stride);
        if (fetches) fetch_lines<half>(ahead[0] + i * half * panel_width);
      }
      for (int j = 0; j < panels; ++j) {
        Tiles::load_b(j, b[j] + k * panel_width, tile_bytes);
        if (fetches) fetch_lines<half>(ahead[1] + j * half * panel_width);
      }
      Tiles::template multiply<row_tiles, panels>();
      if (fetches) {
        if constexpr (row_tiles == 1) fetch_lines<half>(ahead[0] + half * panel_width);
        ahead[0] += lines * panel_width;
        ahead[1] += lines * panel_width;
      }
      for (int64_t due = pace.step(); due > 0; --due) pending.finish_part();
    }
    const int64_t rest = segment.length - whole;
    if (rest == 0) continue;
    for (int i = 0; i < row_tiles; ++i) {
      copy_rest(a[i] + whole, call.a_stride, height, rest, rest_a[i]);
      Tiles::load_a(i, rest_a[i], tile_bytes);
    }
    for (int j = 0; j < panels; ++j) {
      copy_rest(b[j] + whole * panel_width, panel_width, rest, panel_width, rest_b[j]);
      Tiles::load_b(j, rest_b[j], tile_bytes);
    }
    Tiles::template multiply<row_tiles, panels>();
  }
  if (sums_are_results<Sums>(call)) {  // attention's scores: no detour for one step of k
    for (int i = 0; i < row_tiles; ++i) {
      for (int j = 0; j < panels; ++j) {
        const GemmPanel& panel = block.panel[j];
        Tiles::store(i, j, static_cast<float*>(panel.out) + block.first_row[i] * panel.out_stride,
                     panel.out_stride * 4);
      }
    }
    return;
  }
  for (int i = 0; i < row_tiles; ++i) {
    for (int j = 0; j < panels; ++j) {
      Tiles::store(i, j, pending.room() + i * tile_rows * Pending::width + j * panel_width,
                   Pending::width * 4);
    }
  }
  pending.finish_rest();
  pending.take(block);
}

// `Sums`: TileSums of FloatSums, or of a product of bytes whose add() gives what they start with.
template <class S, class Tiles, class Sums, int lines>
void multiply_all(const GemmCall& call) {
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
        block.first_row[i] = block.row[i] < call.rows - height ? block.row[i] : call.rows - height;
      }
      const bool more = left >= 4 && t / 2 * lines < tile_rows;  // to be fetched in this block
      const PanelsAhead next = {more ? block.panel + 2 : nullptr, t / 2};
      if (block.row_tiles == 2) {
        block.panels == 2
            ? multiply_block<Tiles, Sums, lines, 2, 2>(call, block, next, height, pace, pending)
            : multiply_block<Tiles, Sums, lines, 2, 1>(call, block, next, height, pace, pending);
      } else {
        block.panels == 2
            ? multiply_block<Tiles, Sums, lines, 1, 2>(call, block, next, height, pace, pending)
            : multiply_block<Tiles, Sums, lines, 1, 1>(call, block, next, height, pace, pending);
      }
    }
  }
  pending.finish_rest();
  Tiles::release();
}

template <class S, class Tiles, class Sums>
void gemm_amx(const GemmCall& call) {
  if (call.rows == 0) return;
  // How many lines of a tile for each block of 32 rows, a number known to the compiler: a loop over
  // them takes thrice as many instructions.
  const int64_t blocks = (call.rows + 2 * tile_rows - 1) / (2 * tile_rows);
  if (blocks == 1) {
    multiply_all<S, Tiles, Sums, 16>(call);
  } else if (blocks <= 3) {
    multiply_all<S, Tiles, Sums, 8>(call);
  } else {
    blocks <= 7 ? multiply_all<S, Tiles, Sums, 4>(call) : multiply_all<S, Tiles, Sums, 2>(call);
  }
}

}  // namespace
}  // namespace headroom
