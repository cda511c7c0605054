// Attention of a layer's heads in AMX tiles. Scores lie with their keys in rows and their queries
// in lanes, so that softmax, which sums over keys, adds whole registers: along the lanes it took
// 6.2 ns for 16 scores, the other way round 3.9 at most.
//
// The work goes by blocks of queries, head after head, and the steps of up to four blocks
// alternate: a tile load of what was just stored waits until it has left the store buffer, a vector
// load of a tile's rows waits for the product, and in a short text's only block every step needs
// the one before.
#pragma once

#include <cstdint>

#include "engine/kernels/gemm_amx.h"
#include "engine/kernels/head_attention.h"
#include "engine/kernels/math_simd.h"
#include "engine/kernels/rows_simd.h"

namespace headroom {
namespace {

// One or two tiles of sums over `steps` tiles of k: of `a` in rows `a_stride` bytes apart whose
// next tile is `a_step` units on, of a panel `b`. Goes to rows of 16 floats.
struct TileProduct {
  const uint32_t* a = nullptr;
  int64_t a_rows = 0;  // units from the first tile of rows to the second
  int64_t a_stride = 0;
  int64_t a_step = 0;
  const uint32_t* b = nullptr;
  int64_t steps = 0;
  float* out = nullptr;
};

template <class Tiles, int row_tiles>
void multiply_tiles(const TileProduct& product) {
  for (int i = 0; i < row_tiles; ++i) Tiles::clear(i, 0);
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

// Up to 16 queries of a head, a panel: with 32, what the steps leave for each other is 60 KB at 128
// tokens, and L1 has 48.
struct QueryBlock {
  int64_t head = 0;
  int64_t query = 0;  // the first
  int64_t count = 0;
  int64_t turn = 0;  // 0 and 1 alternate
};

template <class S, class Tiles>
class HeadAttention {
 public:
  explicit HeadAttention(const HeadAttentionCall& call)
      : call_(call),
        units_(call.width / 2),
        key_units_(round_up(call.tokens, 2 * tile_rows) / 2),
        blocks_(round_up(call.query_count, panel_width) / panel_width),
        turned_queries_(call.scratch),
        shares_(turned_queries_ + units_ * panel_width),
        turned_values_(shares_ + key_units_ * panel_width),
        scores_(reinterpret_cast<float*>(turned_values_ + key_units_ * call.width)),
        sums_(scores_ + 2 * key_units_ * panel_width),
        turned_sums_(sums_ + call.width * panel_width),
        inverse_sums_(turned_sums_ + 2 * panel_width * panel_width),
        pairs_(reinterpret_cast<uint32_t*>(inverse_sums_ + 2 * panel_width)) {}

  // Tiles and vectors alternate, and what one step writes is read two steps later or more. Each
  // step comes after the last reader of what it overwrites, so that L1 need not hold anything twice
  // but the inverse sums.
  void run() const {
    const int64_t count = call_.heads * blocks_;
    if (count == 0) return;
    const int64_t half = call_.width / 2;
    turn_queries(block(0));
    turn_values(0, 0, half);
    Tiles::configure(tile_rows);
    score(block(0));
    turn_values(0, half, call_.width);
    if (count > 1) turn_queries(block(1));
    for (int64_t i = 0; i < count; ++i) {
      const QueryBlock now = block(i);
      take_shares(now);
      if (i + 1 < count) score(block(i + 1));
      if (i > 0) write(block(i - 1));
      sum_values();
      if (i + 1 < count && block(i + 1).head > now.head) turn_values(now.head + 1, 0, call_.width);
      if (i + 2 < count) turn_queries(block(i + 2));
    }
    write(block(count - 1));
    Tiles::release();
  }

 private:
  static constexpr int pairs_in_step = S::rows_in_step;  // of keys: so many registers there are

  QueryBlock block(int64_t i) const {
    QueryBlock block;
    block.head = i / blocks_;
    block.query = i % blocks_ * panel_width;
    const int64_t left = call_.query_count - block.query;
    block.count = left < panel_width ? left : panel_width;
    block.turn = i % 2;
    return block;
  }

  void turn_queries(const QueryBlock& block) const {
    const uint16_t* queries =
        call_.queries + block.head * call_.head_stride + block.query * call_.width;
    transpose_simd<S>(reinterpret_cast<const float*>(queries), units_, block.count, units_,
                      reinterpret_cast<float*>(turned_queries_));
  }

  // A tile for every 16 columns and 32 tokens: a row for each column, two tokens in a unit; zeros
  // where there is no token.
  void turn_values(int64_t head, int64_t first, int64_t end) const {
    const uint16_t* values = call_.values + head * call_.head_stride;
    for (int64_t column = first; column < end; column += tile_rows) {
      for (int64_t unit = 0; unit < key_units_; unit += tile_rows) {
        for (int64_t row = 0; row < tile_rows; ++row) {
          pair_tokens(values + column, 2 * (unit + row), pairs_ + row * panel_width);
        }
        S::transpose(
            reinterpret_cast<const float*>(pairs_), panel_width,
            reinterpret_cast<float*>(turned_values_ + column * key_units_ + unit * panel_width));
      }
    }
  }
  // 16 columns of a token and the next.
  void pair_tokens(const uint16_t* values, int64_t token, uint32_t* to) const {
    static constexpr uint16_t none[panel_width] = {};
    const uint16_t* first = values + token * call_.width;
    const uint16_t* second = token + 1 < call_.tokens ? first + call_.width : none;
    if (token >= call_.tokens) first = none;
    for (int64_t n = 0; n < panel_width; n += S::lanes) {
      S::store_bits(reinterpret_cast<float*>(to + n), S::pair_halves(first + n, second + n));
    }
  }

  // A row of 16 queries for every key.
  void score(const QueryBlock& block) const {
    const auto* keys =
        reinterpret_cast<const uint32_t*>(call_.keys + block.head * call_.head_stride);
    for (int64_t key = 0; key < call_.tokens; key += 2 * tile_rows) {
      TileProduct product;
      product.a = keys + key * units_;
      product.a_rows = tile_rows * units_;
      product.a_stride = units_ * 4;
      product.a_step = panel_width;
      product.b = turned_queries_;
      product.steps = units_ / panel_width;
      product.out = scores_ + key * panel_width;
      call_.tokens - key > tile_rows ? multiply_tiles<Tiles, 2>(product)
                                     : multiply_tiles<Tiles, 1>(product);
    }
  }

  void take_shares(const QueryBlock& block) const {
    float* inverse = inverse_sums_of(block);
    for (int64_t n = 0; n < panel_width; n += S::lanes) take_shares(n, inverse + n);
  }
  // Softmax for a register of queries from lane n on. Four maxima and two sums, because each waits
  // four cycles for itself.
  void take_shares(int64_t n, float* inverse) const {
    using Float = typename S::Float;
    const float* scores = scores_ + n;
    const int64_t tokens = call_.tokens;
    Float highest[4];
    for (Float& x : highest) x = S::load(scores);
    int64_t key = 0;
    for (; key + 4 <= tokens; key += 4) {
      for (int64_t i = 0; i < 4; ++i) {
        highest[i] = S::larger(highest[i], S::load(scores + (key + i) * panel_width));
      }
    }
    for (; key < tokens; ++key) {
      highest[0] = S::larger(highest[0], S::load(scores + key * panel_width));
    }
    const Float shift =
        S::larger(S::larger(highest[0], highest[1]), S::larger(highest[2], highest[3]));
    const Float scaled_shift = S::multiply(shift, S::spread(-log2_of_e));
    const auto power = [&](int64_t of) {
      const Float x = S::load(scores + of * panel_width);
      return S::multiply_add(x, S::spread(log2_of_e), scaled_shift);
    };
    auto* shares = reinterpret_cast<float*>(shares_ + n);
    Float sum[2] = {S::zero(), S::zero()};
    const int64_t pairs = tokens / 2;
    int64_t pair = 0;
    for (; pair + pairs_in_step <= pairs; pair += pairs_in_step) {
      Float x[2 * pairs_in_step];
#pragma GCC unroll 8
      for (int i = 0; i < 2 * pairs_in_step; ++i) x[i] = power(2 * pair + i);
      coarse_powers_of_two<S>(x);
#pragma GCC unroll 8
      for (int i = 0; i < 2 * pairs_in_step; i += 2) {
        sum[0] = S::add(sum[0], x[i]);
        sum[1] = S::add(sum[1], x[i + 1]);
        S::store_bits(shares + (pair + i / 2) * panel_width, S::bf16_pairs(x[i], x[i + 1]));
      }
    }
    for (; pair < key_units_; ++pair) {
      const auto share = [&](int64_t of) {
        return of < tokens ? coarse_power_of_two<S>(power(of)) : S::zero();
      };
      const Float first = share(2 * pair);
      const Float second = share(2 * pair + 1);
      sum[0] = S::add(sum[0], first);
      sum[1] = S::add(sum[1], second);
      S::store_bits(shares + pair * panel_width, S::bf16_pairs(first, second));
    }
    S::store(inverse, S::divide(S::spread(1.0F), S::add(sum[0], sum[1])));
  }

  float* inverse_sums_of(const QueryBlock& block) const {
    return inverse_sums_ + block.turn * panel_width;
  }

  // A row of 16 queries for each column.
  void sum_values() const {
    for (int64_t column = 0; column < call_.width; column += 2 * tile_rows) {
      TileProduct product;
      product.a = turned_values_ + column * key_units_;
      product.a_rows = tile_rows * key_units_;
      product.a_stride = tile_bytes;
      product.a_step = tile_rows * panel_width;
      product.b = shares_;
      product.steps = key_units_ / panel_width;
      product.out = sums_ + column * panel_width;
      multiply_tiles<Tiles, 2>(product);
    }
  }

  void write(const QueryBlock& block) const {
    for (int64_t column = 0; column < call_.width; column += 2 * tile_rows) write(block, column);
  }
  // 32 columns, a row for each query.
  void write(const QueryBlock& block, int64_t column) const {
    for (int64_t i = 0; i < 2; ++i) {
      S::transpose(sums_ + (column + i * tile_rows) * panel_width, panel_width,
                   turned_sums_ + i * panel_width * panel_width);
    }
    const float* inverse_sums = inverse_sums_of(block);
    for (int64_t row = 0; row < block.count; ++row) {
      const int64_t place =
          (block.query + row) * call_.context_stride + block.head * call_.width + column;
      const auto inverse = S::spread(inverse_sums[row]);
      for (int64_t n = 0; n < 2 * tile_rows; n += 2 * S::lanes) {
        const auto x = S::multiply(S::load(turned_sum(row, n)), inverse);
        const auto y = S::multiply(S::load(turned_sum(row, n + S::lanes)), inverse);
        if (call_.out == GemmOut::bf16) {
          S::store_bf16(static_cast<uint16_t*>(call_.context) + place + n, x, y);
        } else {
          S::store(static_cast<float*>(call_.context) + place + n, x);
          S::store(static_cast<float*>(call_.context) + place + n + S::lanes, y);
        }
      }
    }
  }
  const float* turned_sum(int64_t row, int64_t n) const {
    return turned_sums_ + (n / panel_width * panel_width + row) * panel_width + n % panel_width;
  }

  const HeadAttentionCall& call_;
  int64_t units_;             // of a row of queries or keys
  int64_t key_units_;         // whole tiles of two keys each
  int64_t blocks_;            // of queries, in each head
  uint32_t* turned_queries_;  // of a block
  uint32_t* shares_;          // of a block, two keys in a unit
  uint32_t* turned_values_;   // of a head
  float* scores_;
  float* sums_;
  float* turned_sums_;
  float* inverse_sums_;  // of two blocks, in turn
  uint32_t* pairs_;      // a tile
};

template <class S, class Tiles>
void attend_heads_amx(const HeadAttentionCall& call) {
  HeadAttention<S, Tiles>(call).run();
}

}  // namespace
}  // namespace headroom
