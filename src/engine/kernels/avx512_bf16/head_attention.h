// Fused attention of a layer's heads in AVX-512's dot products: of bf16, or of bytes where the
// linear layers are in int8.
//
// Scores are transposed, keys x queries: softmax, which sums over keys, then adds registers, and
// what is broadcast, a lane of a key or of a column of the values, is an operand in memory that
// costs no instruction. A block has 16 queries.
#pragma once

#include <cstdint>

#include "engine/kernels/avx512_bf16/head_operands.h"
#include "engine/kernels/head_attention.h"

namespace headroom::kernels::avx512_bf16 {
namespace {

// queries: H x Q x W, keys and values: H x T x W, context: Q x (H W). `Form`: Bf16Heads or
// Int8Heads.
template <class Form>
class HeadAttention {
 public:
  explicit HeadAttention(const HeadAttentionCall& call)
      : call_(call),
        row_lanes_(call.width / 2),
        lanes_(call.width / Form::elements),
        key_panels_(round_up(call.tokens, panel_width) / panel_width),
        value_lanes_(round_up(call.tokens, Form::elements) / Form::elements),
        queries_(call.scratch),
        keys_(queries_ + row_lanes_ * panel_width),
        values_(keys_ + key_panels_ * panel_width * row_lanes_),
        scores_(reinterpret_cast<float*>(values_ + key_panels_ * panel_width * row_lanes_)),
        sums_(scores_ + key_panels_ * panel_width * panel_width),
        rows_(sums_ + panel_width * panel_width),
        query_scales_(rows_ + panel_width * panel_width),
        value_scales_(query_scales_ + panel_width),
        key_scales_(value_scales_ + call.width),
        key_starts_(reinterpret_cast<int32_t*>(key_scales_ + key_panels_ * panel_width)) {}

  void run() const {
    for (int64_t head = 0; head < call_.heads; ++head) {
      const __m512 nan = prepare_keys(head);
      Form::pack_values(of_head(call_.values, head), call_.tokens, call_.width, values_,
                        value_scales_);
      for (int64_t query = 0; query < call_.query_count; query += panel_width) {
        const int64_t left = call_.query_count - query;
        attend(head, query, left < panel_width ? left : panel_width, nan);
      }
    }
  }

 private:
  using Sum = typename Form::Sum;

  const uint16_t* of_head(const uint16_t* all, int64_t head) const {
    return all + head * call_.head_stride;
  }

  // Panels of 16 keys: lanes x 16. Returns NaN if a key is and its sums cannot tell, otherwise 0.
  __m512 prepare_keys(int64_t head) const {
    __m512 nan = _mm512_setzero_ps();
    for (int64_t p = 0; p < key_panels_; ++p) {
      const int64_t left = call_.tokens - p * panel_width;
      uint32_t* panel = keys_ + p * lanes_ * panel_width;
      transpose_rows(of_head(call_.keys, head) + p * panel_width * call_.width, row_lanes_,
                     left < panel_width ? left : panel_width, panel);
      Form::finish_keys(panel, row_lanes_, key_scales_ + p * panel_width,
                        key_starts_ + p * panel_width);
      nan = Form::keep_nan(nan, key_scales_ + p * panel_width);
    }
    return _mm512_set1_ps(_mm512_reduce_add_ps(nan));
  }

  void attend(int64_t head, int64_t query, int64_t count, __m512 nan) const {
    transpose_rows(of_head(call_.queries, head) + query * call_.width, row_lanes_, count, queries_);
    Form::finish_queries(queries_, row_lanes_, query_scales_);
    const __m512 max = call_.bias == nullptr ? score(nullptr) : score(call_.bias[head] + query);
    const __m512 inverse = Form::keep_nan(_mm512_add_ps(softmax(max), nan), query_scales_);
    for (int64_t column = 0; column < call_.width; column += panel_width) {
      weigh_values(column, inverse);
      write_context(head, query, count, column);
    }
  }

  // scores: T x 16 queries, plus the bias. Returns the largest of each query, or NaN if its bias
  // is.
  __m512 score(const float* bias) const {
    __m512 max = _mm512_set1_ps(-3e38F);
    __m512 nan = _mm512_setzero_ps();
    for (int64_t p = 0; p < key_panels_; ++p) {
      const int64_t left = call_.tokens - p * panel_width;
      __m512 panel_max = score_panel(p);
      float* scores = scores_ + p * panel_width * panel_width;
      const int64_t count = left < panel_width ? left : panel_width;
      if (bias != nullptr) {
        nan =
            _mm512_add_ps(nan, add_bias(bias + p * panel_width * call_.bias_stride, count, scores));
      }
      if (bias != nullptr || count < panel_width) panel_max = largest(scores, count);
      max = _mm512_max_ps(max, panel_max);
    }
    return _mm512_add_ps(max, nan);
  }

  // Returns the largest of each query's scores of the panel's 16 keys.
  __m512 score_panel(int64_t p) const {
    const uint32_t* keys = keys_ + p * lanes_ * panel_width;
    Sum sums[panel_width];
#pragma GCC unroll 16
    for (int i = 0; i < panel_width; ++i) {
      sums[i] = Form::start(key_starts_ + p * panel_width + i);
    }
    for (int64_t lane = 0; lane < lanes_; ++lane) {
      const __m512i queries = _mm512_loadu_si512(queries_ + lane * panel_width);
#pragma GCC unroll 16
      for (int i = 0; i < panel_width; ++i) {
        sums[i] = Form::add_key(sums[i], queries, keys + lane * panel_width + i);
      }
    }
    float* to = scores_ + p * panel_width * panel_width;
    const float* scales = key_scales_ + p * panel_width;
    __m512 maxima[4];
#pragma GCC unroll 16
    for (int i = 0; i < panel_width; ++i) {
      const __m512 scores = Form::score(sums[i], scales + i);
      _mm512_storeu_ps(to + i * panel_width, scores);
      maxima[i % 4] = i < 4 ? scores : _mm512_max_ps(maxima[i % 4], scores);
    }
    return _mm512_max_ps(_mm512_max_ps(maxima[0], maxima[1]), _mm512_max_ps(maxima[2], maxima[3]));
  }

  // Returns NaN where a bias is and the sums of probabilities cannot tell, otherwise 0.
  __m512 add_bias(const float* bias, int64_t count, float* scores) const {
    const __m512 scale = Form::query_scale(query_scales_);
    __m512 nan = _mm512_setzero_ps();
    for (int64_t i = 0; i < count; ++i) {
      const float* from = bias + i * call_.bias_stride;
      float* score = scores + i * panel_width;
      _mm512_storeu_ps(score,
                       _mm512_fmadd_ps(_mm512_loadu_ps(score), scale, _mm512_loadu_ps(from)));
      nan = Form::keep_nan(nan, from);
    }
    return nan;
  }

  // Four maxima, because each waits for its own result.
  static __m512 largest(const float* scores, int64_t count) {
    __m512 maxima[4];
    for (__m512& max : maxima) max = _mm512_loadu_ps(scores);
    int64_t i = 0;
    for (; i + 4 <= count; i += 4) {
#pragma GCC unroll 4
      for (int64_t j = 0; j < 4; ++j) {
        maxima[j] = _mm512_max_ps(maxima[j], _mm512_loadu_ps(scores + (i + j) * panel_width));
      }
    }
    for (; i < count; ++i) {
      maxima[0] = _mm512_max_ps(maxima[0], _mm512_loadu_ps(scores + i * panel_width));
    }
    return _mm512_max_ps(_mm512_max_ps(maxima[0], maxima[1]), _mm512_max_ps(maxima[2], maxima[3]));
  }

  // Scores become unnormalised probabilities, a lane of tokens each, in place: a lane is written
  // behind the scores it is made of. Returns one over their sums, or NaN where `max` is.
  __m512 softmax(__m512 max) const {
    __m512 factor = _mm512_set1_ps(1.44269504F);  // log2(e)
    if (call_.bias == nullptr) factor = _mm512_mul_ps(factor, Form::query_scale(query_scales_));
    const __m512 shift = _mm512_fnmadd_ps(max, factor, _mm512_set1_ps(Form::exponent_of_largest));
    typename Form::Probabilities probabilities;
    const auto exponent = [&](int64_t key) {
      const __m512 x = _mm512_fmadd_ps(_mm512_loadu_ps(scores_ + key * panel_width), factor, shift);
      return _mm512_max_ps(_mm512_set1_ps(Form::least_exponent), x);  // which keeps NaN
    };
    const int64_t full = call_.tokens / Form::elements;
    __m512 x[Form::elements];
    for (int64_t lane = 0; lane < full; ++lane) {
#pragma GCC unroll 4
      for (int i = 0; i < Form::elements; ++i) x[i] = exponent(lane * Form::elements + i);
      _mm512_storeu_si512(scores_ + lane * panel_width, probabilities.pack(x));
    }
    if (full < value_lanes_) {
      const int64_t rest = call_.tokens - full * Form::elements;
      for (int i = 0; i < Form::elements; ++i) {
        x[i] = exponent(full * Form::elements + (i < rest ? i : 0));
      }
      _mm512_storeu_si512(scores_ + full * panel_width, probabilities.pack_first(x, rest));
    }
    return _mm512_fmadd_ps(max, _mm512_setzero_ps(), probabilities.inverse_sum());
  }

  // sums: 16 columns x 16 queries.
  void weigh_values(int64_t column, __m512 inverse) const {
    Sum sums[panel_width];
#pragma GCC unroll 16
    for (int i = 0; i < panel_width; ++i) sums[i] = Form::zero();
    const uint32_t* values = values_ + column;
    for (int64_t lane = 0; lane < value_lanes_; ++lane) {
      const __m512i probabilities = _mm512_loadu_si512(scores_ + lane * panel_width);
#pragma GCC unroll 16
      for (int i = 0; i < panel_width; ++i) {
        sums[i] = Form::add_value(sums[i], probabilities, values + i);
      }
      values += call_.width;
    }
#pragma GCC unroll 16
    for (int i = 0; i < panel_width; ++i) {
      const __m512 x = Form::score(sums[i], value_scales_ + column + i);
      _mm512_storeu_ps(sums_ + i * panel_width, _mm512_mul_ps(x, inverse));
    }
  }

  void write_context(int64_t head, int64_t query, int64_t count, int64_t column) const {
    Vector::transpose(sums_, panel_width, rows_);
    const int64_t first = query * call_.context_stride + head * call_.width + column;
    for (int64_t i = 0; i < count; ++i) {
      const __m512 row = _mm512_loadu_ps(rows_ + i * panel_width);
      const int64_t at = first + i * call_.context_stride;
      if (call_.out == GemmOut::bf16) {
        Vector::store_bf16(static_cast<uint16_t*>(call_.context) + at, row);
      } else {
        Vector::store(static_cast<float*>(call_.context) + at, row);
      }
    }
  }

  const HeadAttentionCall& call_;
  int64_t row_lanes_;    // W / 2: of rows as they come, in bf16
  int64_t lanes_;        // of a query or a key in this form
  int64_t key_panels_;   // T / 16
  int64_t value_lanes_;  // T / 4, or T / 2
  uint32_t* queries_;    // of a block: lanes x 16
  uint32_t* keys_;       // of a head: (T / 16) x lanes x 16
  uint32_t* values_;     // of a head: value lanes x W
  float* scores_;        // of a block: T x 16; then probabilities, value lanes x 16
  float* sums_;          // 16 columns x 16 queries
  float* rows_;          // 16 queries x 16 columns
  float* query_scales_;  // of a block
  float* value_scales_;  // of columns
  float* key_scales_;
  int32_t* key_starts_;
};

template <class Form>
void attend_heads(const HeadAttentionCall& call) {
  HeadAttention<Form>(call).run();
}

}  // namespace
}  // namespace headroom::kernels::avx512_bf16
