// The kernels for CPUs with AMX: products of bfloat16 and bytes in tiles, all else AVX-512's with
// BF16. Compiled with its flags: see CMakeLists.txt.
#include "engine/kernels/amx_probe.h"
#include "engine/kernels/gemm_amx.h"
#include "engine/kernels/head_attention_amx.h"
#include "engine/kernels/kernels.h"
#include "engine/kernels/products_avx512.h"
#include "engine/kernels/tiles_amx.h"

namespace headroom {

const Kernels& amx_kernels() {
  static const Kernels kernels = [] {
    Kernels all = avx512_bf16_kernels();
    all.isa = Isa::amx;
    all.gemm_bf16 = gemm_amx<Avx512, AmxTiles<TileNumbers::bf16>, TileSums<FloatSums<Avx512>>>;
    all.gemm_int8 = gemm_amx<Avx512, AmxTiles<TileNumbers::bytes>, TileSums<ByteProduct>>;
    all.attend_heads = attend_heads_amx<Avx512, AmxTiles<TileNumbers::bf16>>;
    return all;
  }();
  return kernels;
}

// One product of ones in each precision: 16 units of two, or four, ones in every sum.
bool amx_products_are_right() {
  alignas(64) uint32_t ones[16 * 16];
  alignas(64) float sums[16 * 16];
  bool right = true;
  using Floats = AmxTiles<TileNumbers::bf16>;
  for (uint32_t& pair : ones) pair = 0x3f803f80U;
  Floats::configure(16);
  Floats::clear(0, 0);
  Floats::load_a(0, ones, 64);
  Floats::load_b(0, ones, 64);
  Floats::multiply<1, 1>();
  Floats::store(0, 0, sums, 64);
  for (const float sum : sums) right = right && sum == 32.0F;
  using Bytes = AmxTiles<TileNumbers::bytes>;
  for (uint32_t& four : ones) four = 0x01010101U;
  Bytes::clear(0, 0);
  Bytes::load_a(0, ones, 64);
  Bytes::load_b(0, ones, 64);
  Bytes::multiply<1, 1>();
  Bytes::store(0, 0, sums, 64);
  Bytes::release();
  for (const float& sum : sums) {
    int32_t whole = 0;
    __builtin_memcpy(&whole, &sum, sizeof whole);
    right = right && whole == 64;
  }
  return right;
}

}  // namespace headroom
