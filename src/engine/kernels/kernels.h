// The kernels of one instruction set, as a table of functions. Start here.
//
// From a linear layer to the inner loop:
//   engine/linear.h       a layer's packed weights and activations become a GemmCall
//   kernels/gemm.h        what the call means: shapes, packing, precision, epilogue
//   kernels/<isa>/        one folder per instruction set, each with a table of its kernels
//   kernels/simd/gemm.h   register-blocked micro-kernel, for any vector width
//   kernels/amx/gemm.h    the same product in AMX tiles
//   kernels/portable/     plain C++: the reference of every kernel, and what other CPUs run
// Headers in this folder say what each kernel computes; simd/ has templates over a `Vector` class,
// <isa>/vector.h, that names the instruction set's operations.
//
// To add an instruction set (RVV, say):
//   1. kernels/rvv/vector.h with the operations of avx2/vector.h, and rvv/kernels.cpp, whose
//      rvv_table() is simd::kernels<Vector>(...) with what the CPU does better replaced;
//   2. kernel_folder(rvv FLAGS) in engine/CMakeLists.txt, which compiles every file there;
//   3. a check in cpu.h, a name in isa.h, rvv_table() below and a line in the table of kernels.cpp.
// kernels_test compares every kernel of every instruction set that the CPU runs with the reference,
// and fails for a kernel that has no comparison. Nothing outside this folder asks which instruction
// set it is: it asks for the capabilities below.
#pragma once

#include <cstdint>

#include "engine/kernels/embed.h"
#include "engine/kernels/gemm.h"
#include "engine/kernels/head_attention.h"
#include "engine/kernels/isa.h"
#include "engine/kernels/layer_norm.h"
#include "engine/kernels/multiply.h"
#include "engine/kernels/quantise.h"
#include "engine/kernels/rotate.h"
#include "engine/kernels/softmax.h"

namespace headroom {

struct Kernels {
  using Map = void(float* x, int64_t count);  // in place

  Isa isa = Isa::portable;  // for people: its name

  // Capabilities.
  bool has_bf16_products = false;  // in hardware: faster than fp32, not only smaller
  bool has_tiles = false;          // bf16 and int8 products go by 16 rows: calls should have 32

  void (*gemm_f32)(const GemmCall&) = nullptr;
  void (*gemm_bf16)(const GemmCall&) = nullptr;
  void (*gemm_int8)(const GemmCall&) = nullptr;
  void (*embed)(const EmbedCall&) = nullptr;
  void (*softmax)(const SoftmaxCall&) = nullptr;
  void (*layer_norm)(const LayerNormCall&) = nullptr;
  void (*quantise)(const QuantiseCall&) = nullptr;
  void (*rotate)(const RotateCall&) = nullptr;
  void (*multiply)(const MultiplyCall&) = nullptr;
  Map* exp = nullptr;   // relative error 1e-6 for x in [-87, 88]; 0 below
  Map* erf = nullptr;   // relative error 1e-6
  Map* gelu = nullptr;  // x * P(N(0,1) <= x), BERT's exact form
  Map* tanh = nullptr;  // absolute error 1e-6
  // To bf16, to nearest, ties to even. `from` must be finite.
  void (*round_to_bf16)(const float* from, uint16_t* to, int64_t count) = nullptr;
  // in: rows x columns, out: panels of 16 rows, columns x 16 each, zeros where rows end:
  // out[row / 16 * columns * 16 + column * 16 + row % 16] = in[row * stride + column].
  void (*transpose)(const float* in, int64_t stride, int64_t rows, int64_t columns,
                    float* out) = nullptr;
  // Optional: null where separate products and softmax are as good. attend_query is for calls with
  // one query; its scratch is one float per key.
  void (*attend_heads)(const HeadAttentionCall&) = nullptr;
  void (*attend_query)(const HeadAttentionCall&) = nullptr;
  // The same as attend_heads, where linear layers are in int8: products of bytes, exact to 2^-6 of
  // the largest value where scores are as far apart as a model's.
  void (*attend_heads_int8)(const HeadAttentionCall&) = nullptr;

  bool operator==(const Kernels&) const = default;
};

// The CPU must have `isa`.
const Kernels& kernels_for(Isa isa);

namespace kernels {

// A folder each. Call only what the CPU runs.
const Kernels& portable_table();
const Kernels& avx2_table();
const Kernels& avx512_table();
const Kernels& avx512_bf16_table();
const Kernels& amx_table();
const Kernels& neon_table();
const Kernels& neon_dotprod_table();
const Kernels& neon_bf16_table();

// Every kernel in plain C++, fused attention included: what tests compare with.
const Kernels& reference_table();

}  // namespace kernels

}  // namespace headroom
