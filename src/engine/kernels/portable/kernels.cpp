// All kernels in plain C++: the reference for tests, and what other CPUs run.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/kernels/kernels.h"

namespace headroom::kernels {
namespace portable {
namespace {

float from_bf16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16U);
}

uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (std::isnan(value)) return static_cast<uint16_t>(bits >> 16U | 0x40U);  // quiet, not rounded
  return static_cast<uint16_t>((bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U);
}

float exact_gelu(float x) {
  return 0.5F * x * (1.0F + std::erf(x * 0.70710678F));
}

float apply_epilogue(const GemmCall& call, int64_t row, float value) {
  switch (call.epilogue) {
    case GemmEpilogue::none:
      return value;
    case GemmEpilogue::gelu:
      return exact_gelu(value);
    case GemmEpilogue::scale_rows:
      return value * call.row_scales[row];
    case GemmEpilogue::relu:
      return std::max(value, 0.0F);
    case GemmEpilogue::sigmoid:
      return value /
             (1.0F + std::exp(-value * (call.sigmoid_slope + call.sigmoid_cubic * value * value)));
  }
  return value;
}

// `n` is a column of the panel.
float start_of(const GemmCall& call, const GemmPanel& panel, int64_t row, int64_t n) {
  const float bias = panel.bias != nullptr ? panel.bias[n] : 0.0F;
  if (call.start == GemmStart::bias) return bias;
  return bias + static_cast<const float*>(panel.out)[row * panel.out_stride + n];
}

// A: M x K, panels: K x 16 each, out: M x N. An element is `start`, then `product(lane of a, lane
// of b, sum)` for every k, then `end`, then the epilogue.
template <typename Lane, typename Sum, typename Product, typename Start, typename End>
void gemm(const GemmCall& call, Product product, Start start, End end) {
  for (int64_t row = 0; row < call.rows; ++row) {
    const Lane* a = static_cast<const Lane*>(call.a) + row * call.a_stride;
    for (int64_t p = 0; p < call.panel_count; ++p) {
      const GemmPanel& panel = call.panels[p];
      const auto* weights = static_cast<const Lane*>(panel.weights);
      for (int64_t n = 0; n < panel_width; ++n) {
        const int64_t at = row * panel.out_stride + n;
        Sum sum = start(panel, row, n);
        for (int64_t s = 0; s < call.segment_count; ++s) {
          const GemmSegment& segment = call.segments[s];
          for (int64_t k = 0; k < segment.length; ++k) {
            sum = product(a[segment.a + k], weights[(segment.b + k) * panel_width + n], sum);
          }
        }
        const float value = apply_epilogue(call, row, end(sum, panel, row, n));
        if (call.out == GemmOut::f32) {
          static_cast<float*>(panel.out)[at] = value;
        } else {
          static_cast<uint16_t*>(panel.out)[at] = to_bf16(value);
        }
      }
    }
  }
}

template <typename Lane, typename Product>
void float_gemm(const GemmCall& call, Product product) {
  gemm<Lane, float>(
      call, product,
      [&](const GemmPanel& panel, int64_t row, int64_t n) { return start_of(call, panel, row, n); },
      [](float sum, const GemmPanel&, int64_t, int64_t) { return sum; });
}

struct Bf16Lane {
  uint16_t first;
  uint16_t second;
};

struct Int8Lane {
  uint8_t bytes[4];
};

void gemm_f32(const GemmCall& call) {
  float_gemm<float>(call, [](float a, float b, float sum) { return sum + a * b; });
}

void gemm_bf16(const GemmCall& call) {
  float_gemm<Bf16Lane>(call, [](Bf16Lane a, Bf16Lane b, float sum) {
    return sum + from_bf16(a.first) * from_bf16(b.first) +
           from_bf16(a.second) * from_bf16(b.second);
  });
}

void gemm_int8(const GemmCall& call) {
  gemm<Int8Lane, int32_t>(
      call,
      [](Int8Lane a, Int8Lane b, int32_t sum) {
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

void embed(const EmbedCall& call) {
  for (int64_t t = 0; t < call.tokens; ++t) {
    const float* word = call.word_rows + call.ids[t] * call.width;
    const float* position = call.position_rows + t * call.position_stride;
    const float* type = call.type_rows + (call.types != nullptr ? call.types[t] : 0) * call.width;
    float* out = call.out + t * call.out_stride;
    for (int64_t i = 0; i < call.width; ++i) out[i] = word[i] + position[i] + type[i];
  }
}

void softmax(const SoftmaxCall& call) {
  for (int64_t row = 0; row < call.rows; ++row) {
    float* x = call.x + row * call.stride;
    uint16_t* bf16 = call.bf16 != nullptr ? call.bf16 + row * call.bf16_stride : nullptr;
    const float max = *std::max_element(x, x + call.length);
    float sum = 0;
    for (int64_t i = 0; i < call.length; ++i) {
      const float e = std::exp(x[i] - max);
      sum += e;
      if (bf16 != nullptr) {
        bf16[i] = to_bf16(e);
      } else {
        x[i] = e;
      }
    }
    if (bf16 != nullptr && call.length % 2 != 0) bf16[call.length] = 0;
    call.inverse_sums[row] = 1.0F / sum;
  }
}

void layer_norm(const LayerNormCall& call) {
  for (int64_t row = 0; row < call.rows; ++row) {
    float* x = call.x + row * call.stride;
    const float* in = call.in != nullptr ? call.in + row * call.stride : x;
    double mean = 0;
    for (int64_t i = 0; i < call.width; ++i) mean += in[i];
    mean /= static_cast<double>(call.width);
    double variance = 0;
    for (int64_t i = 0; i < call.width; ++i) variance += (in[i] - mean) * (in[i] - mean);
    variance /= static_cast<double>(call.width);
    const double factor = 1.0 / std::sqrt(variance + call.eps);
    for (int64_t i = 0; i < call.width; ++i) {
      x[i] = static_cast<float>((in[i] - mean) * factor) * call.weight[i] + call.bias[i];
    }
    if (call.bf16 != nullptr) {
      std::transform(x, x + call.width, call.bf16 + row * call.bf16_stride, to_bf16);
    }
  }
}

float load(const float* from) {
  return *from;
}
float load(const uint16_t* from) {
  return from_bf16(*from);
}
void store(float* to, float value) {
  *to = value;
}
void store(uint16_t* to, float value) {
  *to = to_bf16(value);
}

template <typename Number>
void rotate_rows(const RotateCall& call) {
  for (int64_t row = 0; row < call.rows; ++row) {
    Number* x = static_cast<Number*>(call.x) + row * call.stride;
    for (int64_t i = 0; i < call.half; ++i) {
      const float a = load(x + i);
      const float b = load(x + i + call.half);
      const float cosine = call.cosines[row * call.half + i];
      const float sine = call.sines[row * call.half + i];
      store(x + i, a * cosine - b * sine);
      store(x + i + call.half, b * cosine + a * sine);
    }
  }
}

void rotate(const RotateCall& call) {
  call.type == GemmOut::f32 ? rotate_rows<float>(call) : rotate_rows<uint16_t>(call);
}

template <typename Number>
void multiply_rows(const MultiplyCall& call) {
  for (int64_t row = 0; row < call.rows; ++row) {
    Number* x = static_cast<Number*>(call.x) + row * call.stride;
    const Number* by = static_cast<const Number*>(call.by) + row * call.by_stride;
    for (int64_t i = 0; i < call.width; ++i) store(x + i, load(x + i) * load(by + i));
  }
}

void multiply(const MultiplyCall& call) {
  call.type == GemmOut::f32 ? multiply_rows<float>(call) : multiply_rows<uint16_t>(call);
}

void exp(float* x, int64_t count) {
  std::transform(x, x + count, x, [](float value) { return value < -87 ? 0 : std::exp(value); });
}

void erf(float* x, int64_t count) {
  std::transform(x, x + count, x, [](float value) { return std::erf(value); });
}

void gelu(float* x, int64_t count) {
  std::transform(x, x + count, x, exact_gelu);
}

void tanh(float* x, int64_t count) {
  std::transform(x, x + count, x, [](float value) { return std::tanh(value); });
}

void round_to_bf16(const float* from, uint16_t* to, int64_t count) {
  std::transform(from, from + count, to, to_bf16);
}

void quantise(const QuantiseCall& call) {
  for (int64_t row = 0; row < call.rows; ++row) {
    const float* from = call.from + row * call.from_stride;
    uint8_t* to = call.to + row * call.to_stride;
    float largest = 0;
    for (int64_t i = 0; i < call.width; ++i) {
      const float magnitude = std::abs(from[i]);
      if (magnitude > largest || std::isnan(magnitude)) largest = magnitude;
    }
    const float factor = largest > 0 ? 127.0F / largest : 0.0F;
    for (int64_t i = 0; i < call.width; ++i) {
      const float scaled = std::isfinite(largest) ? from[i] * factor : 0;
      to[i] = static_cast<uint8_t>(std::nearbyint(scaled) + 128);
    }
    std::fill(to + call.width, to + call.padded, uint8_t{128});
    call.scales[row] = largest / 127.0F;
  }
}

void transpose(const float* in, int64_t stride, int64_t rows, int64_t columns, float* out) {
  for (int64_t row = 0; row < round_up(rows, panel_width); ++row) {
    float* panel = out + row / panel_width * columns * panel_width;
    for (int64_t column = 0; column < columns; ++column) {
      panel[column * panel_width + row % panel_width] =
          row < rows ? in[row * stride + column] : 0.0F;
    }
  }
}

void attend_head(const HeadAttentionCall& call, int64_t head) {
  const auto row = [&](const uint16_t* all, int64_t i) {
    return all + head * call.head_stride + i * call.width;
  };
  std::vector<double> probabilities(static_cast<size_t>(call.tokens));
  for (int64_t q = 0; q < call.query_count; ++q) {
    double max = -std::numeric_limits<double>::infinity();
    for (int64_t k = 0; k < call.tokens; ++k) {
      double score = 0;
      for (int64_t d = 0; d < call.width; ++d) {
        score += static_cast<double>(from_bf16(row(call.queries, q)[d])) *
                 static_cast<double>(from_bf16(row(call.keys, k)[d]));
      }
      if (call.bias != nullptr) score += call.bias[head][q + k * call.bias_stride];
      probabilities[static_cast<size_t>(k)] = score;
      max = std::max(max, score);
    }
    double sum = 0;
    for (double& p : probabilities) sum += p = std::exp(p - max);
    for (int64_t d = 0; d < call.width; ++d) {
      double result = 0;
      for (int64_t k = 0; k < call.tokens; ++k) {
        result += probabilities[static_cast<size_t>(k)] / sum *
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

void attend_heads(const HeadAttentionCall& call) {
  for (int64_t head = 0; head < call.heads; ++head) attend_head(call, head);
}

}  // namespace
}  // namespace portable

const Kernels& portable_table() {
  static constexpr Kernels table = {.isa = Isa::portable,
                                    .gemm_f32 = portable::gemm_f32,
                                    .gemm_bf16 = portable::gemm_bf16,
                                    .gemm_int8 = portable::gemm_int8,
                                    .embed = portable::embed,
                                    .softmax = portable::softmax,
                                    .layer_norm = portable::layer_norm,
                                    .quantise = portable::quantise,
                                    .rotate = portable::rotate,
                                    .multiply = portable::multiply,
                                    .exp = portable::exp,
                                    .erf = portable::erf,
                                    .gelu = portable::gelu,
                                    .tanh = portable::tanh,
                                    .round_to_bf16 = portable::round_to_bf16,
                                    .transpose = portable::transpose};
  return table;
}

const Kernels& reference_table() {
  static const Kernels table = [] {
    Kernels all = portable_table();
    all.attend_heads = portable::attend_heads;
    all.attend_heads_int8 = portable::attend_heads;
    all.attend_query = portable::attend_heads;
    return all;
  }();
  return table;
}

}  // namespace headroom::kernels
