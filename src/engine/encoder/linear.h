// A linear layer over packed weights as one product: out, M x N = epilogue(in, M x K, times
// weights).
#pragma once

#include <cstdint>
#include <span>

#include "budget/activation_kind.h"
#include "engine/encoder/workspace.h"
#include "engine/kernels/kernels.h"
#include "engine/packed_matrix.h"

namespace headroom {

struct LinearCall {
  const PackedMatrix* matrix = nullptr;
  int64_t panels = 0;  // N / 16
  Activation in;
  int64_t rows = 0;                       // M
  std::span<const GemmSegment> segments;  // of K, in lanes
  Activation out;
  GemmStart start = GemmStart::bias;
  GemmEpilogue epilogue = GemmEpilogue::none;
  SigmoidGate gate = {};    // GemmEpilogue::sigmoid's
  int64_t first_panel = 0;  // of `panels`
};

struct ActivationEpilogue {
  GemmEpilogue epilogue = GemmEpilogue::none;
  SigmoidGate gate;
};

// An activation as the end of the product before it; not for tanh, which no FFN has.
inline ActivationEpilogue activation_epilogue(ActivationKind kind) {
  if (kind == ActivationKind::gelu) return {GemmEpilogue::gelu, {}};
  if (kind == ActivationKind::relu) return {GemmEpilogue::relu, {}};
  return {GemmEpilogue::sigmoid, sigmoid_gate(kind)};
}

// The product in the precision of `in`.
inline void multiply(const Kernels& kernels, const Activation& in, GemmCall& call) {
  const int64_t lane_elements = 4 / in.size;
  call.a = in.data;
  call.a_stride = in.stride / lane_elements;
  call.a_scales = in.scales;
  if (lane_elements == 1) {
    kernels.gemm_f32(call);
  } else if (lane_elements == 2) {
    kernels.gemm_bf16(call);
  } else {
    kernels.gemm_int8(call);
  }
}

// from: rows x width floats, to: the same as int8, padded to full lanes.
inline void quantise(const Kernels& kernels, const Activation& from, int64_t rows, int64_t width,
                     const Activation& to) {
  kernels.quantise({from.floats(), from.stride, rows, width, round_up(width, 4),
                    reinterpret_cast<uint8_t*>(to.data), to.stride, to.scales});
}

// What linear layers read of the stream's floats, where that is a copy.
inline void round_rows(const Kernels& kernels, const Stream& stream, int64_t rows, int64_t width) {
  if (stream.operand.size == 1) quantise(kernels, stream.x, rows, width, stream.operand);
  for (int64_t row = 0; stream.operand.size == 2 && row < rows; ++row) {
    kernels.round_to_bf16(stream.x.floats() + row * stream.x.stride,
                          stream.operand.bf16() + row * stream.operand.stride, width);
  }
}

inline void run_linear(const Kernels& kernels, const LinearCall& linear, GemmPanel* list) {
  for (int64_t p = 0; p < linear.panels; ++p) {
    const int64_t panel = linear.first_panel + p;
    list[p] = linear.matrix->gemm_panel(panel, linear.segments,
                                        linear.out.at(0, panel * panel_width), linear.out.stride);
  }
  GemmCall call;
  call.rows = linear.rows;
  call.segments = linear.segments.data();
  call.segment_count = static_cast<int64_t>(linear.segments.size());
  call.panels = list;
  call.panel_count = linear.panels;
  call.start = linear.start;
  call.epilogue = linear.epilogue;
  call.sigmoid_slope = linear.gate.slope;
  call.sigmoid_cubic = linear.gate.cubic;
  call.out = linear.out.type();
  multiply(kernels, linear.in, call);
}

}  // namespace headroom
