// Fused attention of a layer's heads in AMX tiles. Scores are transposed, keys x queries, so that
// softmax, which sums over keys, adds registers: along the lanes it took 6.2 ns for 16 scores, this
// way 3.9 at most.
//
// The work goes by blocks of 16 queries, head after head, and the steps of up to four blocks are
// interleaved: a tile load of what was just stored waits until it has left the store buffer, a
// vector load of a tile's rows waits for the product, and in a short text's only block every step
// needs the one before.
#pragma once

#include <cstdint>

#include "engine/kernels/amx/gemm.h"
#include "engine/kernels/head_attention.h"
#include "engine/kernels/simd/elementwise.h"
#include "engine/kernels/simd/math.h"

namespace headroom::kernels::amx {
namespace {

// A: one or two row tiles x `steps` tiles of k, B: a panel of `steps` tiles, out: up to 32 x 16.
struct TileProduct {
  const uint32_t* a = nullptr;
  int64_t a_rows = 0;    // lanes from the first row tile to the second
  int64_t a_stride = 0;  // bytes from a row to the next
  int64_t a_step = 0;    // lanes from a tile of k to the next
  const uint32_t* b = nullptr;
  int64_t steps = 0;
  float* out = nullptr;
};

template <class Tiles, int row_tiles>
void multiply_tiles(const TileProduct& product) {
  for (int i = 0; i < row_tiles; ++i) Tiles::zero(i, 0);
  for (int64_t step = 0; step < product.steps; ++step) {
    for (int i = 0; i < row_tiles; ++i) {
      Tiles::load_a(i, product.a + i * product.a_rows + step * product.a_step, product.a_stride);
    }
    Tiles::load_b(0, product.b + step * tile_rows * panel_width, tile_bytes);
    Tiles::template multiply<row_tiles, 1>();
  }
  for (int i = 0; i < row_tiles; ++i) {
    Tiles::store(i, 0, product.out + i * tile_rows * panel_width, tile_bytes);
  }
}

// Up to 16 queries of a head, a panel: with 32, what the steps pass on to each other is 60 KB at
// 128 tokens, and L1 has 48.
struct QueryBlock {
  int64_t head = 0;
  int64_t query = 0;  // the first
  int64_t count = 0;
  int64_t parity = 0;  // 0 and 1 alternate
};

// queries: H x Q x W, keys and values: H x T x W, context: Q x (H W).
template <class S, class Tiles>
class HeadAttention {
 public:
  explicit HeadAttention(const HeadAttentionCall& call)
      : call_(call),
        head_lanes_(call.width / 2),
        key_lanes_(round_up(call.tokens, 2 * tile_rows) / 2),
        blocks_(round_up(call.query_count, panel_width) / panel_width),
        transposed_queries_(call.scratch),
        probabilities_(transposed_queries_ + head_lanes_ * panel_width),
        transposed_values_(probabilities_ + key_lanes_ * panel_width),
        scores_(reinterpret_cast<float*>(transposed_values_ + key_lanes_ * call.width)),
        sums_(scores_ + 2 * key_lanes_ * panel_width),
        transposed_sums_(sums_ + call.width * panel_width),
        inverse_sums_(transposed_sums_ + 2 * panel_width * panel_width),
        pairs_(reinterpret_cast<uint32_t*>(inverse_sums_ + 2 * panel_width)) {}

  // Tile and vector steps alternate, and what one step writes is read two steps later or more. Each
  // step comes after the last reader of what it overwrites, so that L1 holds nothing twice but the
  // inverse sums.
  void run() const {
    const int64_t count = call_.heads * blocks_;
    if (count == 0) return;
    const int64_t half = call_.width / 2;
    transpose_queries(block(0));
    transpose_values(0, 0, half);
    Tiles::configure(tile_rows);
    score(block(0));
    transpose_values(0, half, call_.width);
    if (count > 1) transpose_queries(block(1));
    for (int64_t i = 0; i < count; ++i) {
      const QueryBlock current = block(i);
      softmax(current);
      if (i + 1 < count) score(block(i + 1));
      if (i > 0) write_context(block(i - 1));
      weigh_values();
      if (i + 1 < count && block(i + 1).head > current.head) {
        transpose_values(current.head + 1, 0, call_.width);
      }
      if (i + 2 < count) transpose_queries(block(i + 2));
    }
    write_context(block(count - 1));
    Tiles::release();
  }

 private:
  static constexpr int interleaved_pairs = S::interleaved_rows;  // of keys, as registers allow

  QueryBlock block(int64_t i) const {
    QueryBlock block;
    block.head = i / blocks_;
    block.query = i % blocks_ * panel_width;
    const int64_t left = call_.query_count - block.query;
    block.count = left < panel_width ? left : panel_width;
    block.parity = i % 2;
    return block;
  }

  // A block's queries, 16 x W, as a panel: W / 2 rows of 16 lanes.
  void transpose_queries(const QueryBlock& block) const {
    const uint16_t* queries =
        call_.queries + block.head * call_.head_stride + block.query * call_.width;
    simd::transpose<S>(reinterpret_cast<const float*>(queries), head_lanes_, block.count,
                       head_lanes_, reinterpret_cast<float*>(transposed_queries_));
  }

  // Columns [first, end) of a head's values, T x W, as W x T: a tile for every 16 columns and 32
  // tokens, two tokens in a lane, zeros where there is no token.
  void transpose_values(int64_t head, int64_t first, int64_t end) const {
    const uint16_t* values = call_.values + head * call_.head_stride;
    for (int64_t column = first; column < end; column += tile_rows) {
      for (int64_t lane = 0; lane < key_lanes_; lane += tile_rows) {
        for (int64_t row = 0; row < tile_rows; ++row) {
          interleave_tokens(values + column, 2 * (lane + row), pairs_ + row * panel_width);
        }
        S::transpose(reinterpret_cast<const float*>(pairs_), panel_width,
                     reinterpret_cast<float*>(transposed_values_ + column * key_lanes_ +
                                              lane * panel_width));
      }
    }
  }
  // 16 columns of a token and the next.
  void interleave_tokens(const uint16_t* values, int64_t token, uint32_t* to) const {
    static constexpr uint16_t none[panel_width] = {};
    const uint16_t* first = values + token * call_.width;
    const uint16_t* second = token + 1 < call_.tokens ? first + call_.width : none;
    if (token >= call_.tokens) first = none;
    for (int64_t n = 0; n < panel_width; n += S::lanes) {
      S::store_bits(reinterpret_cast<float*>(to + n), S::interleave_bf16(first + n, second + n));
    }
  }

  // scores: T x 16 queries.
  void score(const QueryBlock& block) const {
    const auto* keys =
        reinterpret_cast<const uint32_t*>(call_.keys + block.head * call_.head_stride);
    for (int64_t key = 0; key < call_.tokens; key += 2 * tile_rows) {
      TileProduct product;
      product.a = keys + key * head_lanes_;
      product.a_rows = tile_rows * head_lanes_;
      product.a_stride = head_lanes_ * 4;
      product.a_step = panel_width;
      product.b = transposed_queries_;
      product.steps = head_lanes_ / panel_width;
      product.out = scores_ + key * panel_width;
      with_constant(call_.tokens - key > tile_rows ? 2 : 1,
                    [&](auto row_tiles) { multiply_tiles<Tiles, row_tiles.value>(product); });
    }
  }

  void softmax(const QueryBlock& block) const {
    float* inverse = inverse_sums_of(block);
    for (int64_t n = 0; n < panel_width; n += S::lanes) {
      if (call_.bias == nullptr) {
        softmax(n, inverse + n,
                [&](int64_t key) { return S::load(scores_ + n + key * panel_width); });
      } else {
        const float* bias = call_.bias[block.head] + block.query + n;
        softmax(n, inverse + n, [&](int64_t key) {
          return S::add(S::load(scores_ + n + key * panel_width),
                        S::load(bias + key * call_.bias_stride));
        });
      }
    }
  }
  // For a register of queries from lane n on, whose scores `score_of(key)` gives. Four maxima and
  // two sums, because each waits four cycles for its own result.
  template <class ScoreOf>
  [[gnu::always_inline]] void softmax(int64_t n, float* inverse, const ScoreOf& score_of) const {
    using Float = typename S::Float;
    const int64_t tokens = call_.tokens;
    Float maxima[4];
    for (Float& x : maxima) x = score_of(0);
    int64_t key = 0;
    for (; key + 4 <= tokens; key += 4) {
      for (int64_t i = 0; i < 4; ++i) {
        maxima[i] = S::max(maxima[i], score_of(key + i));
      }
    }
    for (; key < tokens; ++key) {
      maxima[0] = S::max(maxima[0], score_of(key));
    }
    const Float shift = S::max(S::max(maxima[0], maxima[1]), S::max(maxima[2], maxima[3]));
    const Float scaled_shift = S::multiply(shift, S::broadcast(-simd::log2_of_e));
    const auto exponent = [&](int64_t k) {
      return S::fma(score_of(k), S::broadcast(simd::log2_of_e), scaled_shift);
    };
    auto* probabilities = reinterpret_cast<float*>(probabilities_ + n);
    Float sum[2] = {S::zero(), S::zero()};
    const int64_t pairs = tokens / 2;
    int64_t pair = 0;
    for (; pair + interleaved_pairs <= pairs; pair += interleaved_pairs) {
      Float x[2 * interleaved_pairs];
#pragma GCC unroll 8
      for (int i = 0; i < 2 * interleaved_pairs; ++i) x[i] = exponent(2 * pair + i);
      simd::approx_exp2_interleaved<S>(x);
#pragma GCC unroll 8
      for (int i = 0; i < 2 * interleaved_pairs; i += 2) {
        sum[0] = S::add(sum[0], x[i]);
        sum[1] = S::add(sum[1], x[i + 1]);
        S::store_bits(probabilities + (pair + i / 2) * panel_width, S::pack_bf16(x[i], x[i + 1]));
      }
    }
    for (; pair < key_lanes_; ++pair) {
      const auto probability = [&](int64_t k) {
        return k < tokens ? simd::approx_exp2<S>(exponent(k)) : S::zero();
      };
      const Float first = probability(2 * pair);
      const Float second = probability(2 * pair + 1);
      sum[0] = S::add(sum[0], first);
      sum[1] = S::add(sum[1], second);
      S::store_bits(probabilities + pair * panel_width, S::pack_bf16(first, second));
    }
    S::store(inverse, S::divide(S::broadcast(1.0F), S::add(sum[0], sum[1])));
  }

  float* inverse_sums_of(const QueryBlock& block) const {
    return inverse_sums_ + block.parity * panel_width;
  }

  // sums: W x 16 queries.
  void weigh_values() const {
    for (int64_t column = 0; column < call_.width; column += 2 * tile_rows) {
      TileProduct product;
      product.a = transposed_values_ + column * key_lanes_;
      product.a_rows = tile_rows * key_lanes_;
      product.a_stride = tile_bytes;
      product.a_step = tile_rows * panel_width;
      product.b = probabilities_;
      product.steps = key_lanes_ / panel_width;
      product.out = sums_ + column * panel_width;
      multiply_tiles<Tiles, 2>(product);
    }
  }

  void write_context(const QueryBlock& block) const {
    for (int64_t column = 0; column < call_.width; column += 2 * tile_rows) {
      write_context(block, column);
    }
  }
  // 16 queries x 32 columns.
  void write_context(const QueryBlock& block, int64_t column) const {
    for (int64_t i = 0; i < 2; ++i) {
      S::transpose(sums_ + (column + i * tile_rows) * panel_width, panel_width,
                   transposed_sums_ + i * panel_width * panel_width);
    }
    const float* inverse_sums = inverse_sums_of(block);
    for (int64_t row = 0; row < block.count; ++row) {
      const int64_t offset =
          (block.query + row) * call_.context_stride + block.head * call_.width + column;
      const auto inverse = S::broadcast(inverse_sums[row]);
      for (int64_t n = 0; n < 2 * tile_rows; n += 2 * S::lanes) {
        const auto x = S::multiply(S::load(transposed_sum(row, n)), inverse);
        const auto y = S::multiply(S::load(transposed_sum(row, n + S::lanes)), inverse);
        if (call_.out == GemmOut::bf16) {
          S::store_bf16(static_cast<uint16_t*>(call_.context) + offset + n, x, y);
        } else {
          S::store(static_cast<float*>(call_.context) + offset + n, x);
          S::store(static_cast<float*>(call_.context) + offset + n + S::lanes, y);
        }
      }
    }
  }
  const float* transposed_sum(int64_t row, int64_t n) const {
    return transposed_sums_ + (n / panel_width * panel_width + row) * panel_width + n % panel_width;
  }

  const HeadAttentionCall& call_;
  int64_t head_lanes_;            // W / 2
  int64_t key_lanes_;             // T / 2, up to a multiple of 16
  int64_t blocks_;                // of queries, in each head
  uint32_t* transposed_queries_;  // of a block: (W / 2) x 16
  uint32_t* probabilities_;       // of a block, unnormalised: (T / 2) x 16
  uint32_t* transposed_values_;   // of a head: W x (T / 2), in tiles
  float* scores_;                 // of a block: T x 16
  float* sums_;                   // of a block: W x 16
  float* transposed_sums_;        // two of 16 x 16
  float* inverse_sums_;           // of two blocks, by parity
  uint32_t* pairs_;               // a tile
};

template <class S, class Tiles>
void attend_heads(const HeadAttentionCall& call) {
  HeadAttention<S, Tiles>(call).run();
}

}  // namespace
}  // namespace headroom::kernels::amx
