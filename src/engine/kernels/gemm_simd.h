// The matrix product for any instruction set: tiles of a few rows by 1, 2 or 4 panels, whose sums
// stay in registers while k runs.
//
// Panels are the outer loop and row tiles the inner one. A panel pair of BERT-Mini is 32 KB (k =
// 256) to 128 KB (k = 1024): it comes from L3 once and from L2 for every further tile, 128 bytes
// per 28 multiply-adds of registers, which the prefetcher hides. Blocking over k would save
// nothing.
#pragma once

#include <cstdint>
#include <utility>

#include "engine/kernels/gemm.h"
#include "engine/kernels/math_simd.h"

namespace headroom {
namespace {

// Sums of floats start at the bias and need no more than their place.
template <class S>
struct FloatSums {
  using Sum = typename S::Float;
  static constexpr bool whole_numbers = false;
  static constexpr bool late = false;   // bias and what `out` held are in the sums
  static constexpr bool coarse = true;  // what becomes of the results is rounded anyway
  static void store(float* to, Sum sum) { S::store(to, sum); }
};

// Sums of bytes are whole numbers, kept as bits until the tile is finished. They start below 0 by
// what the 128 in every byte of `a` adds.
template <class S>
struct WholeSums {
  using Sum = typename S::Bits;
  static constexpr bool whole_numbers = true;
  static constexpr bool late = false;  // what they start with is in the sums
  static constexpr bool coarse = true;
  static void store(float* to, Sum sum) { S::store_bits(to, sum); }
};

// What one unit times one row of a panel adds to the sums.
template <class S>
struct FloatProduct : FloatSums<S> {
  using Unit = float;
  using Lanes = typename S::Float;
  static constexpr bool coarse = false;
  static Lanes spread(const Unit* a) { return S::spread(*a); }
  static Lanes load(const Unit* b) { return S::load(b); }
  static typename S::Float add(Lanes a, Lanes b, typename S::Float sum) {
    return S::multiply_add(a, b, sum);
  }
};

// Pairs of bfloat16 on a CPU without instructions for them: widened to floats, so nothing is gained
// but the memory.
template <class S>
struct WidenedBf16Product : FloatSums<S> {
  using Unit = uint32_t;
  using Lanes = typename S::Bits;
  static Lanes spread(const Unit* a) { return S::spread_bits(*a); }
  static Lanes load(const Unit* b) { return S::load_bits(b); }
  static typename S::Float add(Lanes a, Lanes b, typename S::Float sum) {
    const typename S::Float low = S::multiply_add(S::low_bf16(a), S::low_bf16(b), sum);
    return S::multiply_add(S::high_bf16(a), S::high_bf16(b), low);
  }
};

// Bytes on a CPU without instructions for their products: widened to 16 bits.
template <class S>
struct WidenedByteProduct : WholeSums<S> {
  using Unit = uint32_t;
  using Lanes = typename S::Bits;
  static Lanes spread(const Unit* a) { return S::spread_bits(*a); }
  static Lanes load(const Unit* b) { return S::load_bits(b); }
  static Lanes add(Lanes a, Lanes b, Lanes sum) { return S::add_byte_products(a, b, sum); }
};

// Where a tile's sums go: per panel, the tile's first row. And where whole sums start.
struct TileOut {
  float* at[4] = {};
  int64_t stride[4] = {};
  alignas(64) uint32_t start[4 * panel_width];
};

using TileFunction = void (*)(const GemmCall&, int64_t row, const GemmPanel*, const TileOut&);

template <class S, class P, int rows, int panels>
void multiply_tile(const GemmCall& call, int64_t row, const GemmPanel* panel, const TileOut& out) {
  using Unit = typename P::Unit;
  constexpr int per_panel = panel_width / S::lanes;
  constexpr int wide = panels * per_panel;
  typename P::Sum sum[rows][wide];
#pragma GCC unroll 8
  for (int j = 0; j < wide; ++j) {
    typename P::Sum start;
    if constexpr (P::whole_numbers) {
      start = S::load_bits(out.start + j * S::lanes);
    } else {
      const float* bias = panel[j / per_panel].bias;
      start = bias != nullptr ? S::load(bias + j % per_panel * S::lanes) : S::zero();
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) sum[i][j] = start;
  }
  if constexpr (!P::whole_numbers) {
    if (call.start == GemmStart::accumulate) {
#pragma GCC unroll 16
      for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 8
        for (int j = 0; j < wide; ++j) {
          const GemmPanel& to = panel[j / per_panel];
          const float* before = static_cast<const float*>(to.out) + (row + i) * to.out_stride;
          sum[i][j] = S::add(sum[i][j], S::load(before + j % per_panel * S::lanes));
        }
      }
    }
  }
  const int64_t stride = call.a_stride;
  for (int64_t s = 0; s < call.segment_count; ++s) {
    const GemmSegment& segment = call.segments[s];
    // Three rows share a pointer: x86 addresses p, p + stride and p + 2 stride without arithmetic,
    // and 14 pointers would not fit its registers.
    const Unit* a[(rows + 2) / 3];
#pragma GCC unroll 8
    for (int i = 0; i < (rows + 2) / 3; ++i) {
      a[i] = static_cast<const Unit*>(call.a) + (row + int64_t{3} * i) * stride + segment.a;
    }
    const Unit* b[panels];
#pragma GCC unroll 4
    for (int j = 0; j < panels; ++j) {
      b[j] = static_cast<const Unit*>(panel[j].weights) + segment.b * panel_width;
    }
    for (int64_t k = 0; k < segment.length; ++k) {
      typename P::Lanes weights[wide];
#pragma GCC unroll 8
      for (int j = 0; j < wide; ++j) {
        weights[j] = P::load(b[j / per_panel] + k * panel_width + j % per_panel * S::lanes);
      }
#pragma GCC unroll 16
      for (int i = 0; i < rows; ++i) {
        const typename P::Lanes x = P::spread(a[i / 3] + i % 3 * stride + k);
#pragma GCC unroll 8
        for (int j = 0; j < wide; ++j) sum[i][j] = P::add(x, weights[j], sum[i][j]);
      }
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < wide; ++j) {
      const int p = j / per_panel;
      P::store(out.at[p] + i * out.stride[p] + j % per_panel * S::lanes, sum[i][j]);
    }
  }
}

template <class S, class P, int panels, int... rows>
TileFunction pick_tile(int64_t wanted, std::integer_sequence<int, rows...>) {
  static constexpr TileFunction functions[] = {multiply_tile<S, P, rows + 1, panels>...};
  return functions[wanted - 1];
}

// The tile function for `rows` rows and 1, 2 or 4 panels.
template <class S, class P>
TileFunction tile_function(int64_t rows, int64_t panels) {
  if (panels == 4) {
    return pick_tile<S, P, 4>(rows, std::make_integer_sequence<int, S::tile_rows_4>());
  }
  if (panels == 2) {
    return pick_tile<S, P, 2>(rows, std::make_integer_sequence<int, S::tile_rows_2>());
  }
  return pick_tile<S, P, 1>(rows, std::make_integer_sequence<int, S::tile_rows_1>());
}

// Minus 128 times the sum of each column, over the call's segments: one row's work, unless the
// panel has it. Four sums, because each waits five cycles for itself.
template <class S, class P>
void start_whole_sums(const GemmCall& call, const GemmPanel& panel, uint32_t* start) {
  if (panel.start != nullptr) {
    for (int64_t n = 0; n < panel_width; ++n) start[n] = static_cast<uint32_t>(panel.start[n]);
    return;
  }
  const uint32_t each_128 = 0x80808080U;
  for (int64_t n = 0; n < panel_width; n += S::lanes) {
    typename P::Sum sums[4] = {S::zero_bits(), S::zero_bits(), S::zero_bits(), S::zero_bits()};
    for (int64_t s = 0; s < call.segment_count; ++s) {
      const GemmSegment& segment = call.segments[s];
      const auto* weights =
          static_cast<const uint32_t*>(panel.weights) + segment.b * panel_width + n;
#pragma GCC unroll 4
      for (int64_t k = 0; k < segment.length; ++k) {
        typename P::Sum& sum = sums[k % 4];
        sum = P::add(P::spread(&each_128), P::load(weights + k * panel_width), sum);
      }
    }
    typename P::Sum total = S::zero_bits();
    for (const typename P::Sum& sum : sums) total = S::subtract_whole(total, sum);
    S::store_bits(reinterpret_cast<float*>(start + n), total);
  }
}

// Rows of sums of some panels, side by side in a scratch tile.
struct SumRows {
  int64_t row = 0;  // of the call
  int64_t rows = 0;
  const GemmPanel* panel = nullptr;
  int64_t panels = 0;
  const float* at = nullptr;
  int64_t stride = 0;
  const uint32_t* start = nullptr;  // late whole sums: 16 for each panel
};

// `together` registers of sums next to each other in the result, and what is the same for all rows.
template <class S, class P, int together>
struct SumColumns {
  typename S::Float bias[together];
  typename S::Float scale[together];  // whole sums
  typename S::Bits start[together];   // late whole sums

  [[gnu::always_inline]] SumColumns(const SumRows& from, int64_t column) {
#pragma GCC unroll 4
    for (int t = 0; t < together; ++t) {
      const int64_t place = column + t * S::lanes;
      const GemmPanel& panel = from.panel[place / panel_width];
      const int64_t n = place % panel_width;
      bias[t] = panel.bias != nullptr ? S::load(panel.bias + n) : S::zero();
      if constexpr (P::whole_numbers) {
        scale[t] = S::load(panel.scales + n);
        if constexpr (P::late) start[t] = S::load_bits(from.start + place);
      }
    }
  }
};

// `rows` rows in step: each instruction for all of them before the next one. What waits for its
// operands fills the CPU's scheduler, and tiles' instructions behind it start late: row by row,
// GELU's polynomials made BERT-Mini's products of 128 rows take 1.1 times as long.
template <class S, class P, GemmFinish finish, GemmOut type, bool adds, int together, int rows>
[[gnu::always_inline]] inline void finish_in_step(const GemmCall& call, int64_t row,
                                                  const SumColumns<S, P, together>& columns,
                                                  const float* sums, int64_t stride, void* out,
                                                  int64_t out_stride) {
  constexpr int count = rows * together;
  const auto place = [](int i, int64_t row_stride) {
    return i / together * row_stride + i % together * S::lanes;
  };
  auto* floats = static_cast<float*>(out);
  typename S::Float x[count];
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) {
    const int t = i % together;
    const float* sum = sums + place(i, stride);
    if constexpr (P::whole_numbers) {
      auto whole = S::load_bits(reinterpret_cast<const uint32_t*>(sum));
      if constexpr (P::late) whole = S::add_whole(whole, columns.start[t]);
      const auto factor =
          S::multiply(S::spread(call.a_scales[row + i / together]), columns.scale[t]);
      const auto more =
          adds ? S::add(columns.bias[t], S::load(floats + place(i, out_stride))) : columns.bias[t];
      x[i] = S::multiply_add(S::whole_to_float(whole), factor, more);
    } else {
      x[i] = S::load(sum);
      if constexpr (P::late) x[i] = S::add(x[i], columns.bias[t]);
      if constexpr (P::late && adds) x[i] = S::add(x[i], S::load(floats + place(i, out_stride)));
    }
  }
  if constexpr (finish == GemmFinish::gelu && P::coarse) coarse_gelu_in_step<S>(x);
  if constexpr (finish == GemmFinish::gelu && !P::coarse) {
    for (typename S::Float& each : x) each = gelu_of<S>(each);
  }
  if constexpr (finish == GemmFinish::scale_rows) {
    for (int i = 0; i < count; ++i) {
      x[i] = S::multiply(x[i], S::spread(call.row_scales[row + i / together]));
    }
  }
  if constexpr (type == GemmOut::f32) {
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) S::store(floats + place(i, out_stride), x[i]);
  } else {
    auto* halves = static_cast<uint16_t*>(out);
#pragma GCC unroll 16
    for (int i = 0; i < count; i += together) {
      if constexpr (together == 2) {
        S::store_bf16(halves + place(i, out_stride), x[i], x[i + 1]);
      } else {
        S::store_bf16(halves + place(i, out_stride), x[i]);
      }
    }
  }
}

// To their places with what the call wants done on the way. What that is, is known to the compiler,
// because AMX leaves no more than 8 cycles for each register of sums where k is 256. `together`
// registers are next to each other in the result.
template <class S, class P, GemmFinish finish, GemmOut type, bool adds, int together>
void finish_rows(const GemmCall& call, const SumRows& from) {
  for (int64_t column = 0; column < from.panels * panel_width; column += together * S::lanes) {
    const SumColumns<S, P, together> columns(from, column);
    const GemmPanel& to = from.panel[column / panel_width];
    const int64_t first = from.row * to.out_stride + column % panel_width;
    char* out = static_cast<char*>(to.out) + first * size_of(type);
    const float* sums = from.at + column;
    const int64_t rows = from.rows;  // a store might change what is not a variable of its own
    const int64_t stride = from.stride;
    const int64_t out_stride = to.out_stride;
    for (int64_t i = 0; i < rows; ++i) {
      finish_in_step<S, P, finish, type, adds, together, 1>(
          call, from.row + i, columns, sums + i * stride, stride,
          out + i * out_stride * size_of(type), out_stride);
    }
  }
}

// The same for S::rows_in_step rows of `together` registers and no more, one behind the other.
template <class S, class P, GemmFinish finish, GemmOut type, bool adds, int together>
void finish_part(const GemmCall& call, const SumRows& from) {
  const GemmPanel& to = *from.panel;
  finish_in_step<S, P, finish, type, adds, together, S::rows_in_step>(
      call, from.row, SumColumns<S, P, together>(from, 0), from.at, together * S::lanes,
      static_cast<char*>(to.out) + from.row * to.out_stride * size_of(type), to.out_stride);
}

using FinishFunction = void (*)(const GemmCall&, const SumRows&);

template <class S, class P, int together, bool part, GemmFinish finish, GemmOut type, bool adds>
FinishFunction finish_function() {
  return part ? finish_part<S, P, finish, type, adds, together>
              : finish_rows<S, P, finish, type, adds, together>;
}

template <class S, class P, int together, bool part, GemmFinish finish>
FinishFunction finish_function(const GemmCall& call) {
  if (call.out == GemmOut::bf16) {
    return finish_function<S, P, together, part, finish, GemmOut::bf16, false>();
  }
  return call.start == GemmStart::accumulate
             ? finish_function<S, P, together, part, finish, GemmOut::f32, true>()
             : finish_function<S, P, together, part, finish, GemmOut::f32, false>();
}

template <class S, class P, int together, bool part = false>
FinishFunction finish_function(const GemmCall& call) {
  if (call.finish == GemmFinish::gelu) {
    return finish_function<S, P, together, part, GemmFinish::gelu>(call);
  }
  if (call.finish == GemmFinish::scale_rows) {
    return finish_function<S, P, together, part, GemmFinish::scale_rows>(call);
  }
  return finish_function<S, P, together, part, GemmFinish::none>(call);
}

// Whether there is nothing left to finish: sums can go where results belong.
template <class P>
bool sums_are_results(const GemmCall& call) {
  if constexpr (P::whole_numbers) {
    return false;
  } else {
    const bool adds = call.start == GemmStart::accumulate || call.panels[0].bias != nullptr;
    const bool complete = !P::late || !adds;
    return complete && call.finish == GemmFinish::none && call.out == GemmOut::f32;
  }
}

template <class S, class P>
void gemm_simd(const GemmCall& call) {
  constexpr int64_t scratch_width = 4 * panel_width;
  alignas(64) float scratch[S::tile_rows_1 * scratch_width];
  const bool straight = sums_are_results<P>(call);
  const FinishFunction finish = finish_function<S, P, 1>(call);
  // Few rows leave registers for more panels; many rows need few panels to be efficient.
  int64_t panels = 1;
  int64_t most_rows = S::tile_rows_1;
  if (call.rows <= S::tile_rows_4) {
    panels = 4;
    most_rows = S::tile_rows_4;
  } else if (call.rows <= S::tile_rows_2 || S::tile_rows_2 == S::tile_rows_1) {
    panels = 2;
    most_rows = S::tile_rows_2;
  }
  // Tiles of nearly equal height: 32 rows as 11, 11, 10 rather than 14, 14, 4.
  const int64_t tiles = (call.rows + most_rows - 1) / most_rows;
  for (int64_t p = 0; p < call.panel_count; p += panels) {
    while (panels > call.panel_count - p) panels /= 2;
    const GemmPanel* panel = call.panels + p;
    TileOut out;
    if constexpr (P::whole_numbers) {
      for (int64_t j = 0; j < panels; ++j) {
        start_whole_sums<S, P>(call, panel[j], out.start + j * panel_width);
      }
    }
    for (int64_t t = 0; t < tiles; ++t) {
      const int64_t row = t * call.rows / tiles;
      const int64_t rows = (t + 1) * call.rows / tiles - row;
      for (int64_t j = 0; j < panels; ++j) {
        out.stride[j] = straight ? panel[j].out_stride : scratch_width;
        out.at[j] = straight ? static_cast<float*>(panel[j].out) + row * panel[j].out_stride
                             : scratch + j * panel_width;
      }
      tile_function<S, P>(rows, panels)(call, row, panel, out);
      if (straight) continue;
      finish(call, {row, rows, panel, panels, scratch, scratch_width});
    }
  }
}

}  // namespace
}  // namespace headroom
