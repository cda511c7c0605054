// The matrix product in vector registers: a micro-kernel of a few rows by 1, 2 or 4 panels, whose
// accumulators stay in registers while k runs.
//
// Panels are the outer loop and blocks of rows the inner one. Two panels of BERT-Mini are 32 KB (K
// = 256) to 128 KB (K = 1024): they come from L3 once and from L2 for every further block of rows,
// 128 bytes per 28 multiply-adds of registers, which the prefetcher hides. Blocking over k would
// save nothing.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "engine/kernels/gemm.h"
#include "engine/kernels/simd/epilogue.h"

namespace headroom::kernels::simd {
namespace {

// Float accumulators, which start at the bias.
template <class S>
struct FloatSums {
  using Sum = typename S::Float;
  static constexpr bool finishes_in_registers = false;
  static constexpr bool integer_sums = false;
  static constexpr bool late_start = false;
  static constexpr bool approximate_gelu = true;
  static void store(float* to, Sum sum) { S::store(to, sum); }
};

// int32 accumulators, which start at the compensation for the 128 in every byte of A.
template <class S>
struct IntegerSums {
  using Sum = typename S::Bits;
  static constexpr bool finishes_in_registers = false;
  static constexpr bool integer_sums = true;
  static constexpr bool signed_rows = false;  // broadcast() takes the 128 from A
  static constexpr bool late_start = false;
  static constexpr bool approximate_gelu = true;
  static void store(float* to, Sum sum) { S::store_bits(to, sum); }
};

// A lane of A and a panel row of bf16 or int8.
template <class S>
struct PackedOperands {
  using Lane = uint32_t;
  using Register = typename S::Bits;
  static Register broadcast(const Lane* a) { return S::broadcast_bits(*a); }
  static Register load(const Lane* b) { return S::load_bits(b); }
};

// A product is what one lane of A times one panel row adds to the sums.
template <class S>
struct FloatProduct : FloatSums<S> {
  using Lane = float;
  using Register = typename S::Float;
  static constexpr bool approximate_gelu = false;
  static Register broadcast(const Lane* a) { return S::broadcast(*a); }
  static Register load(const Lane* b) { return S::load(b); }
  static Register add(Register a, Register b, Register sum) { return S::fma(a, b, sum); }
};

// bf16 on a CPU without instructions for it: widened to floats, so only memory is saved.
template <class S>
struct WidenedBf16Product : PackedOperands<S>, FloatSums<S> {
  using Bits = typename S::Bits;
  static typename S::Float add(Bits a, Bits b, typename S::Float sum) {
    const typename S::Float low = S::fma(S::low_bf16(a), S::low_bf16(b), sum);
    return S::fma(S::high_bf16(a), S::high_bf16(b), low);
  }
};

// int8 on a CPU without instructions for its dot product: widened to 16 bits.
template <class S>
struct WidenedInt8Product : PackedOperands<S>, IntegerSums<S> {
  using Bits = typename S::Bits;
  static Bits add(Bits a, Bits b, Bits sum) { return S::dot_u8s8(a, b, sum); }
};

// Where a micro-kernel's sums go, for each panel the first row; and where integer sums start.
struct BlockOut {
  float* sums[4] = {};
  int64_t stride[4] = {};
  alignas(64) uint32_t compensation[4 * panel_width];
  const char* next = nullptr;  // weights to fetch for later, a line each step of k
};

using MicroKernel = void (*)(const GemmCall&, int64_t row, const GemmPanel*, const BlockOut&);

// What becomes of a micro-kernel's sums: stored to BlockOut as they are, or finished.
struct StoreSums {};
template <GemmEpilogue epilogue_, GemmOut type_, bool accumulate_>
struct FinishSums {
  static constexpr GemmEpilogue epilogue = epilogue_;
  static constexpr GemmOut type = type_;
  static constexpr bool accumulate = accumulate_;
};

// A: `rows` x K from row `row` on, B: K x 16 in each of `panels`, out: rows x (panels 16).
template <class S, class P, class End, int rows, int panels>
void multiply_block(const GemmCall& call, int64_t row, const GemmPanel* panel,
                    const BlockOut& out) {
  using Lane = typename P::Lane;
  constexpr int per_panel = panel_width / S::lanes;  // registers of a panel row
  constexpr int registers = panels * per_panel;
  typename P::Sum sum[rows][registers];
#pragma GCC unroll 16
  for (int j = 0; j < registers; ++j) {
    typename P::Sum start;
    if constexpr (P::integer_sums) {
      start = S::load_bits(out.compensation + j * S::lanes);
    } else {
      const float* bias = panel[j / per_panel].bias;
      start = bias != nullptr ? S::load(bias + j % per_panel * S::lanes) : S::zero();
    }
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) sum[i][j] = start;
  }
  if constexpr (!P::integer_sums) {
    if (call.start == GemmStart::accumulate) {
#pragma GCC unroll 16
      for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 16
        for (int j = 0; j < registers; ++j) {
          const GemmPanel& to = panel[j / per_panel];
          const float* before = static_cast<const float*>(to.out) + (row + i) * to.out_stride;
          sum[i][j] = S::add(sum[i][j], S::load(before + j % per_panel * S::lanes));
        }
      }
    }
  }
  constexpr bool fetches = !std::is_same_v<End, StoreSums>;
  const char* next = out.next;
  const int64_t stride = call.a_stride;
  for (int64_t s = 0; s < call.segment_count; ++s) {
    const GemmSegment& segment = call.segments[s];
    // Three rows share a pointer: x86 addresses p, p + stride and p + 2 stride without arithmetic,
    // and 14 pointers would not fit its registers.
    const Lane* a[(rows + 2) / 3];
#pragma GCC unroll 8
    for (int i = 0; i < (rows + 2) / 3; ++i) {
      a[i] = static_cast<const Lane*>(call.a) + (row + int64_t{3} * i) * stride + segment.a;
    }
    const Lane* b[panels];
#pragma GCC unroll 4
    for (int j = 0; j < panels; ++j) {
      b[j] = static_cast<const Lane*>(panel[j].weights) + segment.b * panel_width;
    }
    for (int64_t k = 0; k < segment.length; ++k) {
      if constexpr (fetches) {
        __builtin_prefetch(next, 0, 2);
        next += panel_width * sizeof(Lane);
      }
      typename P::Register weights[registers];
#pragma GCC unroll 16
      for (int j = 0; j < registers; ++j) {
        weights[j] = P::load(b[j / per_panel] + k * panel_width + j % per_panel * S::lanes);
      }
#pragma GCC unroll 16
      for (int i = 0; i < rows; ++i) {
        const typename P::Register x = P::broadcast(a[i / 3] + i % 3 * stride + k);
#pragma GCC unroll 16
        for (int j = 0; j < registers; ++j) sum[i][j] = P::add(x, weights[j], sum[i][j]);
      }
    }
  }
  if constexpr (std::is_same_v<End, StoreSums>) {
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 16
      for (int j = 0; j < registers; ++j) {
        const int p = j / per_panel;
        P::store(out.sums[p] + i * out.stride[p] + j % per_panel * S::lanes, sum[i][j]);
      }
    }
  } else {
    // Without this g++ would keep sums in memory from the loop on, and store them in every step.
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 16
      for (int j = 0; j < registers; ++j) S::keep_in_register(sum[i][j]);
    }
    static_assert(panels == 2);
    const PanelEnd ends[2] = {{panel[0], row, End::type}, {panel[1], row, End::type}};
    const float* a_scales = call.a_scales + row;
#pragma GCC unroll 16
    for (int i = 0; i < rows; ++i) {
#pragma GCC unroll 16
      for (int j = 0; j < registers; ++j) {
        write_register<S, P, End::epilogue, End::type, End::accumulate>(
            call, a_scales, i, ends[j / per_panel], j % per_panel * S::lanes, sum[i][j]);
      }
    }
  }
}

// The micro-kernel for `wanted` rows, at least `least`.
template <class S, class P, class End, int panels, int least, int... more>
MicroKernel pick_rows(int64_t wanted, std::integer_sequence<int, more...>) {
  static constexpr MicroKernel functions[] = {multiply_block<S, P, End, least + more, panels>...};
  return functions[wanted - least];
}

// The micro-kernel for `rows` rows and 1, 2 or 4 panels.
template <class S, class P>
MicroKernel micro_kernel(int64_t rows, int64_t panels) {
  if (panels == 4) {
    return pick_rows<S, P, StoreSums, 4, 1>(rows, std::make_integer_sequence<int, S::max_rows_4>());
  }
  if (panels == 2) {
    return pick_rows<S, P, StoreSums, 2, 1>(rows, std::make_integer_sequence<int, S::max_rows_2>());
  }
  return pick_rows<S, P, StoreSums, 1, 1>(rows, std::make_integer_sequence<int, S::max_rows_1>());
}

// The fewest rows over 2 panels of a micro-kernel that finishes its sums, which there is for no
// fewer: long texts have blocks of 10 to 14 rows.
inline constexpr int least_finished_rows = 10;

template <class S, class P, class End>
MicroKernel finishing_kernel(int64_t rows) {
  return pick_rows<S, P, End, 2, least_finished_rows>(
      rows, std::make_integer_sequence<int, S::max_rows_2 + 1 - least_finished_rows>());
}

// The micro-kernel for `rows` rows over 2 panels that finishes its sums, where there is one; else
// null. Storing sums to finish them apart costs 7 % of a product of 256 lanes of bytes.
template <class S, class P>
MicroKernel finishing_kernel(const GemmCall& call, int64_t rows) {
  if constexpr (P::finishes_in_registers) {
    using enum GemmEpilogue;
    using enum GemmOut;
    if (rows < least_finished_rows) return nullptr;
    const bool accumulate = call.start == GemmStart::accumulate;
    if (call.epilogue == gelu && !accumulate) {
      return call.out == f32 ? finishing_kernel<S, P, FinishSums<gelu, f32, false>>(rows)
                             : finishing_kernel<S, P, FinishSums<gelu, bf16, false>>(rows);
    }
    if (call.epilogue != none) return nullptr;
    if (call.out == bf16) return finishing_kernel<S, P, FinishSums<none, bf16, false>>(rows);
    if constexpr (P::integer_sums) {
      return accumulate ? finishing_kernel<S, P, FinishSums<none, f32, true>>(rows)
                        : finishing_kernel<S, P, FinishSums<none, f32, false>>(rows);
    }
  }
  return nullptr;
}

// A: M x K row-major, B: K x N in panels of 16 columns, out: M x N row-major.
template <class S, class P>
void gemm(const GemmCall& call) {
  constexpr int64_t scratch_width = 4 * panel_width;
  alignas(64) float scratch[S::max_rows_1 * scratch_width];
  const bool direct = sums_are_results<P>(call);
  const WriteFunction write = write_function<S, P, 1>(call);
  // Few rows leave registers for more panels; many rows need few panels to be efficient.
  int64_t panels = 1;
  int64_t max_rows = S::max_rows_1;
  if (call.rows <= S::max_rows_4) {
    panels = 4;
    max_rows = S::max_rows_4;
  } else if (call.rows <= S::max_rows_2 || S::max_rows_2 == S::max_rows_1) {
    panels = 2;
    max_rows = S::max_rows_2;
  }
  // Blocks of nearly equal height: 32 rows as 11, 11, 10 rather than 14, 14, 4.
  const int64_t blocks = (call.rows + max_rows - 1) / max_rows;
  for (int64_t p = 0; p < call.panel_count; p += panels) {
    while (panels > call.panel_count - p) panels /= 2;
    const GemmPanel* panel = call.panels + p;
    BlockOut out;
    if constexpr (P::integer_sums) {
      for (int64_t j = 0; j < panels; ++j) {
        compute_compensation<S, P>(call, panel[j], out.compensation + j * panel_width);
      }
    }
    for (int64_t b = 0; b < blocks; ++b) {
      const int64_t row = b * call.rows / blocks;
      const int64_t rows = (b + 1) * call.rows / blocks - row;
      for (int64_t j = 0; j < panels; ++j) {
        out.stride[j] = direct ? panel[j].out_stride : scratch_width;
        out.sums[j] = direct ? static_cast<float*>(panel[j].out) + row * panel[j].out_stride
                             : scratch + j * panel_width;
      }
      if (!direct && panels == 2) {
        if (const MicroKernel finishing = finishing_kernel<S, P>(call, rows)) {
          // The first two blocks of rows fetch the next two panels.
          const bool more = b < 2 && p + 2 + b < call.panel_count;
          out.next = static_cast<const char*>(panel[more ? 2 + b : 0].weights);
          finishing(call, row, panel, out);
          continue;
        }
      }
      micro_kernel<S, P>(rows, panels)(call, row, panel, out);
      if (direct) continue;
      write(call, {row, rows, panel, panels, scratch, scratch_width});
    }
  }
}

}  // namespace
}  // namespace headroom::kernels::simd
