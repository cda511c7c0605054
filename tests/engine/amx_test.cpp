// The AMX products on imitated tiles, against the reference: everything but the instructions
// themselves. Compiled twice for what surrounds the tiles: with AVX2's flags, for most CPUs, and
// with those of AVX-512, as the engine has it; where AMX works, kernels_test runs the real ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "engine/kernels/amx/gemm.h"
#include "engine/kernels/amx/head_attention.h"
#include "engine/kernels/isa.h"
#ifdef __AVX512F__
#include "engine/kernels/avx512_bf16/products.h"
#else
#include "engine/kernels/avx2/vector.h"
#endif
#include "engine/random_head.h"
#include "engine/random_product.h"

namespace headroom {
namespace {

using testing::expect_nan_kept;
using testing::expect_near;
using testing::expect_near_rounded;
using testing::fill_with_bf16;
using testing::fill_with_bytes;
using testing::head_counts;
using testing::head_lengths;
using testing::Heads;
using testing::Product;
using testing::product_shapes;

#ifdef __AVX512F__
using Vector = kernels::avx512::Vector;
using Int8Product = kernels::avx512_bf16::Int8Product;
constexpr Isa vector_isa = Isa::avx512_bf16;
#else
using Vector = kernels::avx2::Vector;
using Int8Product = kernels::simd::WidenedInt8Product<Vector>;
constexpr Isa vector_isa = Isa::avx2;
#endif

struct Tile {
  uint32_t rows[16][16] = {};
};

// What the manual says the instructions do, on tiles in memory.
template <bool int8>
struct ImitatedTiles {
  static inline Tile sums[2][2];
  static inline Tile a[2];
  static inline Tile b[2];
  static inline int64_t height = 0;

  static void configure(int64_t rows) { height = rows; }
  static void release() { height = 0; }
  static void load(Tile& tile, const void* from, int64_t stride, int64_t rows) {
    for (int64_t row = 0; row < rows; ++row) {
      std::memcpy(tile.rows[row], static_cast<const char*>(from) + row * stride, 64);
    }
  }
  static void zero(int i, int j) { sums[i][j] = {}; }
  static void load_a(int i, const uint32_t* from, int64_t stride) {
    load(a[i], from, stride, height);
  }
  static void stream_a(int i, const uint32_t* from, int64_t stride) { load_a(i, from, stride); }
  static void load_b(int j, const uint32_t* from, int64_t stride) { load(b[j], from, stride, 16); }
  static void store(int i, int j, float* to, int64_t stride) {
    for (int64_t row = 0; row < height; ++row) {
      std::memcpy(reinterpret_cast<char*>(to) + row * stride, sums[i][j].rows[row], 64);
    }
  }
  static uint32_t add(uint32_t x, uint32_t y, uint32_t sum) {
    if constexpr (int8) {
      for (unsigned i = 0; i < 32; i += 8) {
        const auto left = static_cast<int32_t>(x >> i & 0xffU);
        sum += static_cast<uint32_t>(left * static_cast<int8_t>(y >> i & 0xffU));
      }
      return sum;
    }
    const auto to_float = [](uint32_t bits) { return std::bit_cast<float>(bits); };
    return std::bit_cast<uint32_t>(to_float(sum) + to_float(x << 16U) * to_float(y << 16U) +
                                   to_float(x & 0xffff0000U) * to_float(y & 0xffff0000U));
  }
  template <int row_tiles, int panels>
  static void multiply() {
    for (int i = 0; i < row_tiles; ++i) {
      for (int j = 0; j < panels; ++j) {
        for (int64_t row = 0; row < height; ++row) {
          for (int k = 0; k < 16; ++k) {
            for (int n = 0; n < 16; ++n) {
              uint32_t& sum = sums[i][j].rows[row][n];
              sum = add(a[i].rows[row][k], b[j].rows[k][n], sum);
            }
          }
        }
      }
    }
  }
};

using kernels::amx::TileSums;
constexpr auto gemm_bf16_on_tiles =
    kernels::amx::gemm<Vector, ImitatedTiles<false>, TileSums<kernels::simd::FloatSums<Vector>>>;
constexpr auto gemm_int8_on_tiles =
    kernels::amx::gemm<Vector, ImitatedTiles<true>, TileSums<Int8Product>>;

class AmxProduct : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::vector<Isa> usable = usable_isas();
    if (std::ranges::find(usable, vector_isa) == usable.end()) {
      GTEST_SKIP() << "this CPU has no " << isa_name(vector_isa);
    }
  }
};

TEST_F(AmxProduct, OfBf16EqualsTheReference) {
  Random random{1};
  for (const auto& [rows, panels, lanes] : product_shapes()) {
    for (const GemmStart start : {GemmStart::bias, GemmStart::accumulate}) {
      for (const GemmEpilogue epilogue :
           {GemmEpilogue::none, GemmEpilogue::gelu, GemmEpilogue::scale_rows}) {
        Product product(random, rows, panels, lanes);
        fill_with_bf16(product, random);
        product.call.start = start;
        product.call.epilogue = epilogue;
        expect_near(product.result(gemm_bf16_on_tiles),
                    product.result(kernels::reference_table().gemm_bf16), 2e-4);
      }
    }
  }
}

TEST_F(AmxProduct, OfBf16RoundsItsResultWhenAsked) {
  Random random{3};
  for (const auto& [rows, panels, lanes] : product_shapes()) {
    Product product(random, rows, panels, lanes);
    fill_with_bf16(product, random);
    product.call.out = GemmOut::bf16;
    expect_near_rounded(product.result(gemm_bf16_on_tiles),
                        product.result(kernels::reference_table().gemm_bf16));
  }
}

TEST_F(AmxProduct, OfInt8EqualsTheReference) {
  Random random{2};
  for (const auto& [rows, panels, lanes] : product_shapes()) {
    for (const GemmStart start : {GemmStart::bias, GemmStart::accumulate}) {
      Product product(random, rows, panels, lanes);
      fill_with_bytes(product, random);
      product.call.start = start;
      expect_near(product.result(gemm_int8_on_tiles),
                  product.result(kernels::reference_table().gemm_int8), 1e-4);
    }
  }
}

TEST_F(AmxProduct, KeepsNan) {
  expect_nan_kept(gemm_bf16_on_tiles, fill_with_bf16);
  expect_nan_kept(gemm_int8_on_tiles, fill_with_bytes);
}

using HeadsOnTiles = AmxProduct;
constexpr auto attend_on_tiles = kernels::amx::attend_heads<Vector, ImitatedTiles<false>>;

TEST_F(HeadsOnTiles, EqualTheReference) {
  Random random{5};
  for (const int64_t tokens : head_lengths) {
    for (const int64_t width : {32, 96}) {
      for (const int64_t count : head_counts) {
        for (const int64_t query_count : {int64_t{1}, tokens}) {
          Heads heads(random, count, query_count, tokens, width);
          expect_near(heads.result<float>(GemmOut::f32, attend_on_tiles),
                      heads.result<float>(GemmOut::f32, kernels::reference_table().attend_heads),
                      1.0 / 128);
        }
      }
    }
  }
}

TEST_F(HeadsOnTiles, RoundTheirResultsWhenAsked) {
  Random random{6};
  for (const int64_t tokens : head_lengths) {
    Heads heads(random, 2, tokens, tokens, 64);
    const auto floats = heads.result<float>(GemmOut::f32, attend_on_tiles);
    std::vector<uint16_t> rounded(floats.size());
    kernels::reference_table().round_to_bf16(floats.data(), rounded.data(),
                                             static_cast<int64_t>(floats.size()));
    EXPECT_EQ(heads.result<uint16_t>(GemmOut::bf16, attend_on_tiles), rounded) << tokens;
  }
}

TEST_F(HeadsOnTiles, KeepNan) {
  expect_nan_kept(attend_on_tiles);
}

// A head's result has the same bits alone and among others.
TEST_F(HeadsOnTiles, AreAttendedAlike) {
  Random random{8};
  for (const int64_t tokens : head_lengths) {
    for (const int64_t count : head_counts) {
      Heads heads(random, count, tokens, tokens, 32);
      const auto together = heads.result<float>(GemmOut::f32, attend_on_tiles);
      std::vector<float> apart(together.size());
      heads.call.heads = 1;
      for (int64_t head = 0; head < count; ++head) {
        heads.call.context = apart.data() + head * heads.call.width;
        attend_on_tiles(heads.call);
        heads.call.queries += heads.call.head_stride;
        heads.call.keys += heads.call.head_stride;
        heads.call.values += heads.call.head_stride;
      }
      EXPECT_EQ(together, apart) << count << " heads of " << tokens << " tokens";
    }
  }
}

TEST_F(HeadsOnTiles, MayBeNone) {
  Random random{9};
  Heads heads(random, 1, 4, 4, 32);
  heads.call.heads = 0;
  for (const float x : heads.result<float>(GemmOut::f32, attend_on_tiles)) EXPECT_EQ(x, 0.0F);
}

// A query's result has the same bits whatever else is asked for.
TEST_F(HeadsOnTiles, TreatEveryQueryAlike) {
  Random random{7};
  Heads heads(random, 1, 40, 40, 32);
  const auto all = heads.result<float>(GemmOut::f32, attend_on_tiles);
  heads.call.query_count = 1;
  const auto first = heads.result<float>(GemmOut::f32, attend_on_tiles);
  for (size_t i = 0; i < 32; ++i) EXPECT_EQ(first[i], all[i]);
}

}  // namespace
}  // namespace headroom
