// What happens to sums on their way from accumulators to the result: int32 sums are scaled, bias
// and earlier results added where the accumulators did not start with them, activations or row
// scales applied, floats rounded to bf16. Shared by the micro-kernels of gemm.h and by AMX.
//
// `P` is a product (gemm.h) or what AMX says of its sums:
//   integer_sums      int32 accumulators (int8), stored as bits
//   late_start        accumulators start at 0; bias, compensation and `accumulate` are added here
//   approximate_gelu  results are rounded to bf16 or int8 next
#pragma once

#include <cstdint>

#include "engine/kernels/gemm.h"
#include "engine/kernels/simd/math.h"

namespace headroom::kernels::simd {
namespace {

// -128 times the sum of each column of a panel over the call's segments, unless the panel has it:
// one row's work. Four accumulators, because each waits five cycles for its own result.
template <class S, class P>
void compute_compensation(const GemmCall& call, const GemmPanel& panel, uint32_t* compensation) {
  if constexpr (P::signed_rows) {
    for (int64_t n = 0; n < panel_width; ++n) compensation[n] = 0;
    return;
  }
  if (panel.compensation != nullptr) {
    for (int64_t n = 0; n < panel_width; ++n) {
      compensation[n] = static_cast<uint32_t>(panel.compensation[n]);
    }
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
        sum = P::add(P::broadcast(&each_128), P::load(weights + k * panel_width), sum);
      }
    }
    typename P::Sum total = S::zero_bits();
    for (const typename P::Sum& sum : sums) total = S::subtract_ints(total, sum);
    S::store_bits(reinterpret_cast<float*>(compensation + n), total);
  }
}

// Rows of sums of some panels, side by side in scratch memory: rows x (panels 16).
struct SumRows {
  int64_t row = 0;  // of the call
  int64_t rows = 0;
  const GemmPanel* panel = nullptr;
  int64_t panels = 0;
  const float* sums = nullptr;
  int64_t stride = 0;
  const uint32_t* compensation = nullptr;  // late integer sums: 16 for each panel
};

// What is the same for all rows of `registers` registers of neighbouring columns.
template <class S, class P, int registers>
struct ColumnConstants {
  typename S::Float bias[registers];
  typename S::Float scale[registers];        // integer sums
  typename S::Bits compensation[registers];  // late integer sums

  [[gnu::always_inline]] ColumnConstants(const SumRows& from, int64_t column) {
#pragma GCC unroll 4
    for (int i = 0; i < registers; ++i) {
      const int64_t first = column + i * S::lanes;
      const GemmPanel& panel = from.panel[first / panel_width];
      const int64_t n = first % panel_width;
      bias[i] = panel.bias != nullptr ? S::load(panel.bias + n) : S::zero();
      if constexpr (P::integer_sums) {
        scale[i] = S::load(panel.scales + n);
        if constexpr (P::late_start) compensation[i] = S::load_bits(from.compensation + first);
      }
    }
  }
};

// x: rows x registers, from row `row` on.
template <class S, class P, GemmEpilogue epilogue, int registers, int count>
[[gnu::always_inline]] inline void apply_epilogue(const GemmCall& call, int64_t row,
                                                  typename S::Float (&x)[count]) {
  if constexpr (epilogue == GemmEpilogue::gelu && P::approximate_gelu) {
    approx_gelu_interleaved<S>(x);
  }
  if constexpr (epilogue == GemmEpilogue::gelu && !P::approximate_gelu) {
    for (typename S::Float& each : x) each = gelu<S>(each);
  }
  if constexpr (epilogue == GemmEpilogue::relu) {
    for (typename S::Float& each : x) each = S::max(S::zero(), each);
  }
  if constexpr (epilogue == GemmEpilogue::sigmoid) {
    sigmoid_gate_interleaved<S, P::approximate_gelu>(x, S::broadcast(call.sigmoid_slope),
                                                     S::broadcast(call.sigmoid_cubic));
  }
  if constexpr (epilogue == GemmEpilogue::scale_rows) {
    for (int i = 0; i < count; ++i) {
      x[i] = S::multiply(x[i], S::broadcast(call.row_scales[row + i / registers]));
    }
  }
}

// sums, out: rows x registers. Interleaved: each instruction for all of them before the next one.
// Instructions that wait for operands fill the CPU's scheduler and delay the tile instructions
// behind them: row by row, GELU's polynomials made BERT-Mini's products of 128 rows take 1.1 times
// as long.
template <class S, class P, GemmEpilogue epilogue, GemmOut type, bool accumulate, int registers,
          int rows>
[[gnu::always_inline]] inline void write_interleaved(
    const GemmCall& call, int64_t row, const ColumnConstants<S, P, registers>& columns,
    const float* sums, int64_t stride, void* out, int64_t out_stride) {
  constexpr int count = rows * registers;
  const auto offset = [](int i, int64_t row_stride) {
    return i / registers * row_stride + i % registers * S::lanes;
  };
  auto* floats = static_cast<float*>(out);
  typename S::Float x[count];
#pragma GCC unroll 16
  for (int i = 0; i < count; ++i) {
    const int c = i % registers;
    const float* sum = sums + offset(i, stride);
    if constexpr (P::integer_sums) {
      auto integers = S::load_bits(reinterpret_cast<const uint32_t*>(sum));
      if constexpr (P::late_start) integers = S::add_ints(integers, columns.compensation[c]);
      const auto scale =
          S::multiply(S::broadcast(call.a_scales[row + i / registers]), columns.scale[c]);
      const auto start = accumulate
                             ? S::add(columns.bias[c], S::load(floats + offset(i, out_stride)))
                             : columns.bias[c];
      x[i] = S::fma(S::int_to_float(integers), scale, start);
    } else {
      x[i] = S::load(sum);
      if constexpr (P::late_start) x[i] = S::add(x[i], columns.bias[c]);
      if constexpr (P::late_start && accumulate) {
        x[i] = S::add(x[i], S::load(floats + offset(i, out_stride)));
      }
    }
  }
  apply_epilogue<S, P, epilogue, registers>(call, row, x);
  if constexpr (type == GemmOut::f32) {
#pragma GCC unroll 16
    for (int i = 0; i < count; ++i) S::store(floats + offset(i, out_stride), x[i]);
  } else {
    auto* bf16 = static_cast<uint16_t*>(out);
#pragma GCC unroll 16
    for (int i = 0; i < count; i += registers) {
      if constexpr (registers == 2) {
        S::store_bf16(bf16 + offset(i, out_stride), x[i], x[i + 1]);
      } else {
        S::store_bf16(bf16 + offset(i, out_stride), x[i]);
      }
    }
  }
}

// Any number of rows, one after the other; `registers` neighbouring registers of the result at
// once. What the call wants is a template argument, because AMX leaves no more than 8 cycles for
// each register of sums where K is 256.
template <class S, class P, GemmEpilogue epilogue, GemmOut type, bool accumulate, int registers>
void write_rows(const GemmCall& call, const SumRows& from) {
  for (int64_t column = 0; column < from.panels * panel_width; column += registers * S::lanes) {
    const ColumnConstants<S, P, registers> columns(from, column);
    const GemmPanel& to = from.panel[column / panel_width];
    const int64_t first = from.row * to.out_stride + column % panel_width;
    char* out = static_cast<char*>(to.out) + first * size_of(type);
    const float* sums = from.sums + column;
    const int64_t rows = from.rows;  // locals: no store can alias them
    const int64_t stride = from.stride;
    const int64_t out_stride = to.out_stride;
    for (int64_t i = 0; i < rows; ++i) {
      write_interleaved<S, P, epilogue, type, accumulate, registers, 1>(
          call, from.row + i, columns, sums + i * stride, stride,
          out + i * out_stride * size_of(type), out_stride);
    }
  }
}

// Exactly S::interleaved_rows dense rows of `registers` registers.
template <class S, class P, GemmEpilogue epilogue, GemmOut type, bool accumulate, int registers>
void write_block(const GemmCall& call, const SumRows& from) {
  const GemmPanel& to = *from.panel;
  write_interleaved<S, P, epilogue, type, accumulate, registers, S::interleaved_rows>(
      call, from.row, ColumnConstants<S, P, registers>(from, 0), from.sums, registers * S::lanes,
      static_cast<char*>(to.out) + from.row * to.out_stride * size_of(type), to.out_stride);
}

// Where a micro-kernel writes a panel's finished sums. Locals: no store can alias them.
struct PanelEnd {
  const float* bias = nullptr;
  const float* scales = nullptr;  // integer sums
  char* out = nullptr;
  int64_t stride = 0;  // bytes

  [[gnu::always_inline]] PanelEnd(const GemmPanel& panel, int64_t row, GemmOut type)
      : bias(panel.bias != nullptr ? panel.bias : no_bias),
        scales(panel.scales),
        out(static_cast<char*>(panel.out) + row * panel.out_stride * size_of(type)),
        stride(panel.out_stride * size_of(type)) {}

  alignas(64) static constexpr float no_bias[panel_width] = {};
};

// A register of sums, which are complete but for scales and epilogue, to row `row` of the block and
// the panel's `column`.
template <class S, class P, GemmEpilogue epilogue, GemmOut type, bool accumulate>
[[gnu::always_inline]] inline void write_register(const GemmCall& call, const float* a_scales,
                                                  int64_t row, const PanelEnd& to, int64_t column,
                                                  typename P::Sum sum) {
  char* out = to.out + row * to.stride + column * size_of(type);
  typename S::Float x[1];
  if constexpr (P::integer_sums) {
    const auto scale = S::multiply(S::broadcast(a_scales[row]), S::load(to.scales + column));
    auto start = S::load(to.bias + column);
    if constexpr (accumulate) start = S::add(start, S::load(reinterpret_cast<float*>(out)));
    x[0] = S::fma(S::int_to_float(sum), scale, start);
  } else {
    x[0] = sum;
  }
  apply_epilogue<S, P, epilogue, 1>(call, row, x);
  if constexpr (type == GemmOut::f32) {
    S::store(reinterpret_cast<float*>(out), x[0]);
  } else {
    S::store_bf16(reinterpret_cast<uint16_t*>(out), x[0]);
  }
}

using WriteFunction = void (*)(const GemmCall&, const SumRows&);

template <class S, class P, int registers, bool block, GemmEpilogue epilogue, GemmOut type,
          bool accumulate>
WriteFunction write_function() {
  return block ? write_block<S, P, epilogue, type, accumulate, registers>
               : write_rows<S, P, epilogue, type, accumulate, registers>;
}

template <class S, class P, int registers, bool block, GemmEpilogue epilogue>
WriteFunction write_function(const GemmCall& call) {
  if (call.out == GemmOut::bf16) {
    return write_function<S, P, registers, block, epilogue, GemmOut::bf16, false>();
  }
  return call.start == GemmStart::accumulate
             ? write_function<S, P, registers, block, epilogue, GemmOut::f32, true>()
             : write_function<S, P, registers, block, epilogue, GemmOut::f32, false>();
}

// write_block or write_rows for what the call wants.
template <class S, class P, int registers, bool block = false>
WriteFunction write_function(const GemmCall& call) {
  if (call.epilogue == GemmEpilogue::gelu) {
    return write_function<S, P, registers, block, GemmEpilogue::gelu>(call);
  }
  if (call.epilogue == GemmEpilogue::scale_rows) {
    return write_function<S, P, registers, block, GemmEpilogue::scale_rows>(call);
  }
  if (call.epilogue == GemmEpilogue::relu) {
    return write_function<S, P, registers, block, GemmEpilogue::relu>(call);
  }
  if (call.epilogue == GemmEpilogue::sigmoid) {
    return write_function<S, P, registers, block, GemmEpilogue::sigmoid>(call);
  }
  return write_function<S, P, registers, block, GemmEpilogue::none>(call);
}

// Whether accumulators can be stored to the result as they are.
template <class P>
bool sums_are_results(const GemmCall& call) {
  if constexpr (P::integer_sums) {
    return false;
  } else {
    const bool adds = call.start == GemmStart::accumulate || call.panels[0].bias != nullptr;
    const bool complete = !P::late_start || !adds;
    return complete && call.epilogue == GemmEpilogue::none && call.out == GemmOut::f32;
  }
}

}  // namespace
}  // namespace headroom::kernels::simd
