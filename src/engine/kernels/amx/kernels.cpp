// The kernels for CPUs with AMX: bf16 and int8 products in tiles; the others are those of AVX-512
// with BF16.
#include "engine/kernels/kernels.h"

#include "engine/kernels/amx/gemm.h"
#include "engine/kernels/amx/head_attention.h"
#include "engine/kernels/amx/tiles.h"
#include "engine/kernels/avx512_bf16/products.h"

namespace headroom::kernels {

const Kernels& amx_table() {
  using amx::TileElement;
  using amx::TileSums;
  using avx512::Vector;
  using Bf16Tiles = amx::Tiles<TileElement::bf16>;
  using Int8Tiles = amx::Tiles<TileElement::int8>;
  static const Kernels table = [] {
    Kernels all = avx512_bf16_table();
    all.isa = Isa::amx;
    all.has_tiles = true;
    all.gemm_bf16 = amx::gemm<Vector, Bf16Tiles, TileSums<simd::FloatSums<Vector>>>;
    all.gemm_int8 = amx::gemm<Vector, Int8Tiles, TileSums<avx512_bf16::Int8Product>>;
    all.attend_heads = amx::attend_heads<Vector, Bf16Tiles>;
    all.attend_heads_int8 = nullptr;  // tiles of bf16 do as much as vectors of bytes
    return all;
  }();
  return table;
}

}  // namespace headroom::kernels
