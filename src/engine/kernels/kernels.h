// The kernels of one instruction set. Each has a plain version beside its declaration, and a test
// that compares the two on random shapes.
#pragma once

#include <cstdint>

#include "engine/kernels/elementwise.h"
#include "engine/kernels/embed.h"
#include "engine/kernels/gemm.h"
#include "engine/kernels/head_attention.h"
#include "engine/kernels/isa.h"
#include "engine/kernels/layer_norm.h"
#include "engine/kernels/softmax.h"

namespace headroom {

struct Kernels {
  Isa isa = Isa::portable;
  decltype(&gemm_f32_reference) gemm_f32 = nullptr;
  decltype(&gemm_bf16_reference) gemm_bf16 = nullptr;
  decltype(&gemm_int8_reference) gemm_int8 = nullptr;
  decltype(&embed_reference) embed = nullptr;
  decltype(&softmax_reference) softmax = nullptr;
  decltype(&layer_norm_reference) layer_norm = nullptr;
  decltype(&exp_reference) exp = nullptr;
  decltype(&erf_reference) erf = nullptr;
  decltype(&gelu_reference) gelu = nullptr;
  decltype(&tanh_reference) tanh = nullptr;
  decltype(&round_to_bf16_reference) round_to_bf16 = nullptr;
  decltype(&quantise_reference) quantise = nullptr;
  decltype(&transpose_reference) transpose = nullptr;
  // Null: products and softmax apart are as good. The second is for one query; its scratch is a
  // float for each key.
  decltype(&attend_heads_reference) attend_heads = nullptr;
  decltype(&attend_heads_reference) attend_query = nullptr;
};

// One file each, compiled with that instruction set's flags.
const Kernels& portable_kernels();
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();
const Kernels& avx512_bf16_kernels();
const Kernels& amx_kernels();

// The CPU must have `isa`.
const Kernels& kernels_for(Isa isa);

}  // namespace headroom
