// The plain versions of all kernels: what the fast ones are compared with, and what other CPUs run.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/kernels/kernels.h"

namespace headroom {
namespace {

float from_bf16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16U);
}

uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  return static_cast<uint16_t>((bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U);
}

float gelu(float x) {
  return 0.5F * x * (1.0F + std::erf(x * 0.70710678F));
}

float finished(const GemmCall& call, int64_t row, float value) {
  switch (call.finish) {
    case GemmFinish::none:
      return value;
    case GemmFinish::gelu:
      return gelu(value);
    case GemmFinish::scale_rows:
      return value * call.row_scales[row];
  }
  return value;
}

// Where the sum of a floating-point product starts; `n` is a column of the panel.
float start_of(const GemmCall& call, const GemmPanel& panel, int64_t row, int64_t n) {
  const float bias = panel.bias != nullptr ? panel.bias[n] : 0.0F;
  if (call.start == GemmStart::bias) return bias;
  return bias + static_cast<const float*>(panel.out)[row * panel.out_stride + n];
}

// `start`, then `product(unit of a, unit of weights, sum)` for every k, then `end`: one number of
// the result before it is finished.
template <typename Unit, typename Sum, typename Product, typename Start, typename End>
void gemm(const GemmCall& call, Product product, Start start, End end) {
  for (int64_t row = 0; row < call.rows; ++row) {
    const Unit* a = static_cast<const Unit*>(call.a) + row * call.a_stride;
    for (int64_t p = 0; p < call.panel_count; ++p) {
      const GemmPanel& panel = call.panels[p];
      const auto* weights = static_cast<const Unit*>(panel.weights);
      for (int64_t n = 0; n < panel_width; ++n) {
        const int64_t at = row * panel.out_stride + n;
        Sum sum = start(panel, row, n);
        for (int64_t s = 0; s < call.segment_count; ++s) {
          const GemmSegment& segment = call.segments[s];
          for (int64_t k = 0; k < segment.length; ++k) {
            sum = product(a[segment.a + k], weights[(segment.b + k) * panel_width + n], sum);
          }
        }
        const float value = finished(call, row, end(sum, panel, row, n));
        if (call.out == GemmOut::f32) {
          static_cast<float*>(panel.out)[at] = value;
        } else {
          static_cast<uint16_t*>(panel.out)[at] = to_bf16(value);
        }
      }
    }
  }
}

template <typename Unit, typename Product>
void float_gemm(const GemmCall& call, Product product) {
  gemm<Unit, float>(
      call, product,
      [&](const GemmPanel& panel, int64_t row, int64_t n) { return start_of(call, panel, row, n); },
      [](float sum, const GemmPanel&, int64_t, int64_t) { return sum; });
}

struct Bf16Pair {
  uint16_t first;
  uint16_t second;
};

struct Bytes {
  uint8_t bytes[4];
};

}  // namespace

void gemm_f32_reference(const GemmCall& call) {
  float_gemm<float>(call, [](float a, float b, float sum) { return sum + a * b; });
}

void gemm_bf16_reference(const GemmCall& call) {
  float_gemm<Bf16Pair>(call, [](Bf16Pair a, Bf16Pair b, float sum) {
    return sum + from_bf16(a.first) * from_bf16(b.first) +
           from_bf16(a.second) * from_bf16(b.second);
  });
}

void gemm_int8_reference(const GemmCall& call) {
  gemm<Bytes, int32_t>(
      call,
      [](Bytes a, Bytes b, int32_t sum) {
        for (size_t i = 0; i < 4; ++i) {
          sum += (static_cast<int32_t>(a.bytes[i]) - 128) * static_cast<int8_t>(b.bytes[i]);
        }
        return sum;
      },
      [](const GemmPanel&, int64_t, int64_t) { return 0; },
      [&](int32_t sum, const GemmPanel& panel, int64_t row, int64_t n) {
        return static_cast<float>(sum) * (call.a_scales[row] * panel.scales[n]) +
               start_of(call, panel, row, n);
      });
}

void embed_reference(const EmbedCall& call) {
  for (int64_t t = 0; t < call.tokens; ++t) {
    const float* word = call.word_rows + call.ids[t] * call.width;
    const float* position = call.position_rows + t * call.width;
    const float* type = call.type_rows + (call.types != nullptr ? call.types[t] : 0) * call.width;
    float* out = call.out + t * call.out_stride;
    for (int64_t i = 0; i < call.width; ++i) out[i] = word[i] + position[i] + type[i];
  }
}

void softmax_reference(const SoftmaxCall& call) {
  for (int64_t row = 0; row < call.count; ++row) {
    float* x = call.rows + row * call.stride;
    uint16_t* rounded =
        call.rounded != nullptr ? call.rounded + row * call.rounded_stride : nullptr;
    const float largest = *std::max_element(x, x + call.length);
    float sum = 0;
    for (int64_t i = 0; i < call.length; ++i) {
      const float e = std::exp(x[i] - largest);
      sum += e;
      if (rounded != nullptr) {
        rounded[i] = to_bf16(e);
      } else {
        x[i] = e;
      }
    }
    if (rounded != nullptr && call.length % 2 != 0) rounded[call.length] = 0;
    call.inverse_sums[row] = 1.0F / sum;
  }
}

void layer_norm_reference(const LayerNormCall& call) {
  for (int64_t row = 0; row < call.rows; ++row) {
    float* x = call.x + row * call.stride;
    double mean = 0;
    for (int64_t i = 0; i < call.width; ++i) mean += x[i];
    mean /= static_cast<double>(call.width);
    double variance = 0;
    for (int64_t i = 0; i < call.width; ++i) variance += (x[i] - mean) * (x[i] - mean);
    variance /= static_cast<double>(call.width);
    const double factor = 1.0 / std::sqrt(variance + call.eps);
    for (int64_t i = 0; i < call.width; ++i) {
      x[i] = static_cast<float>((x[i] - mean) * factor) * call.weight[i] + call.bias[i];
    }
    if (call.copy != nullptr) {
      round_to_bf16_reference(x, call.copy + row * call.copy_stride, call.width);
    }
  }
}

void exp_reference(float* x, int64_t count) {
  std::transform(x, x + count, x, [](float value) { return value < -87 ? 0 : std::exp(value); });
}

void erf_reference(float* x, int64_t count) {
  std::transform(x, x + count, x, [](float value) { return std::erf(value); });
}

void gelu_reference(float* x, int64_t count) {
  std::transform(x, x + count, x, gelu);
}

void tanh_reference(float* x, int64_t count) {
  std::transform(x, x + count, x, [](float value) { return std::tanh(value); });
}

void round_to_bf16_reference(const float* from, uint16_t* to, int64_t count) {
  std::transform(from, from + count, to, to_bf16);
}

void quantise_reference(const QuantiseCall& call) {
  for (int64_t row = 0; row < call.rows; ++row) {
    const float* from = call.from + row * call.from_stride;
    uint8_t* to = call.to + row * call.to_stride;
    float largest = 0;
    for (int64_t i = 0; i < call.width; ++i) largest = std::max(largest, std::abs(from[i]));
    const float factor = largest > 0 ? 127.0F / largest : 0.0F;
    for (int64_t i = 0; i < call.width; ++i) {
      to[i] = static_cast<uint8_t>(std::nearbyint(from[i] * factor) + 128);
    }
    std::fill(to + call.width, to + call.padded, uint8_t{128});
    call.scales[row] = largest / 127.0F;
  }
}

void transpose_reference(const float* in, int64_t stride, int64_t rows, int64_t columns,
                         float* out) {
  for (int64_t row = 0; row < round_up(rows, panel_width); ++row) {
    float* panel = out + row / panel_width * columns * panel_width;
    for (int64_t column = 0; column < columns; ++column) {
      panel[column * panel_width + row % panel_width] =
          row < rows ? in[row * stride + column] : 0.0F;
    }
  }
}

namespace {

void attend_head(const HeadAttentionCall& call, int64_t head) {
  const auto row = [&](const uint16_t* all, int64_t i) {
    return all + head * call.head_stride + i * call.width;
  };
  std::vector<double> shares(static_cast<size_t>(call.tokens));
  for (int64_t q = 0; q < call.query_count; ++q) {
    double highest = -std::numeric_limits<double>::infinity();
    for (int64_t k = 0; k < call.tokens; ++k) {
      double score = 0;
      for (int64_t d = 0; d < call.width; ++d) {
        score += static_cast<double>(from_bf16(row(call.queries, q)[d])) *
                 static_cast<double>(from_bf16(row(call.keys, k)[d]));
      }
      shares[static_cast<size_t>(k)] = score;
      highest = std::max(highest, score);
    }
    double sum = 0;
    for (double& share : shares) sum += share = std::exp(share - highest);
    for (int64_t d = 0; d < call.width; ++d) {
      double result = 0;
      for (int64_t k = 0; k < call.tokens; ++k) {
        result += shares[static_cast<size_t>(k)] / sum *
                  static_cast<double>(from_bf16(row(call.values, k)[d]));
      }
      const int64_t at = q * call.context_stride + head * call.width + d;
      if (call.out == GemmOut::f32) {
        static_cast<float*>(call.context)[at] = static_cast<float>(result);
      } else {
        static_cast<uint16_t*>(call.context)[at] = to_bf16(static_cast<float>(result));
      }
    }
  }
}

}  // namespace

void attend_heads_reference(const HeadAttentionCall& call) {
  for (int64_t head = 0; head < call.heads; ++head) attend_head(call, head);
}

const Kernels& portable_kernels() {
  static constexpr Kernels kernels = {.isa = Isa::portable,
                                      .gemm_f32 = gemm_f32_reference,
                                      .gemm_bf16 = gemm_bf16_reference,
                                      .gemm_int8 = gemm_int8_reference,
                                      .embed = embed_reference,
                                      .softmax = softmax_reference,
                                      .layer_norm = layer_norm_reference,
                                      .exp = exp_reference,
                                      .erf = erf_reference,
                                      .gelu = gelu_reference,
                                      .tanh = tanh_reference,
                                      .round_to_bf16 = round_to_bf16_reference,
                                      .quantise = quantise_reference,
                                      .transpose = transpose_reference};
  return kernels;
}

}  // namespace headroom
