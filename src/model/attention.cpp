#include "model/attention.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "families/positions.h"
#include "model/layers.h"

namespace headroom {
namespace {

// Zero where a query may look, minus infinity at keys that come later: (T, S), the last query
// stands at the last key.
torch::Tensor causal_bias(int64_t T, int64_t S, const torch::TensorOptions& options) {
  return torch::full({T, S}, -std::numeric_limits<float>::infinity(), options).triu(S - T + 1);
}

// q, k and v are (B, H, tokens, W).
torch::Tensor context_of(const torch::Tensor& q, const torch::Tensor& k, const torch::Tensor& v,
                         const torch::Tensor& key_bias, bool causal, double dropout) {
#if TORCH_VERSION_MAJOR >= 2
  // One fused kernel instead of five: on a GPU small models wait for launches, not for arithmetic.
  if (q.is_cuda()) {
    // In mixed precision what was projected is bf16, what is read from the input is not.
    const auto type = q.scalar_type();
    const bool from_the_start = q.size(2) == k.size(2);
    if (causal && from_the_start) {
      return at::scaled_dot_product_attention(q, k.to(type), v.to(type), {}, dropout,
                                              /*is_causal=*/true);
    }
    if (!causal && !key_bias.defined()) {
      return at::scaled_dot_product_attention(q, k.to(type), v.to(type), {}, dropout);
    }
    const torch::Tensor bias =
        causal ? causal_bias(q.size(2), k.size(2), q.options()) : key_bias.to(type);
    return at::scaled_dot_product_attention(q, k.to(type), v.to(type), bias, dropout);
  }
#endif
  const double scale = 1.0 / std::sqrt(static_cast<double>(q.size(-1)));
  torch::Tensor scores = torch::matmul(q * scale, k.transpose(-1, -2));  // (B, H, T, S)
  if (causal) {
    scores = scores + causal_bias(scores.size(2), scores.size(3), scores.options());
  } else if (key_bias.defined()) {
    scores = scores + key_bias;
  }
  return torch::matmul(drop(torch::softmax(scores, -1), dropout), v);
}

// x (B, H, T, W): elements i and i + W / 2 of token t turn by t / theta^(2 i / W), in floats as
// families/positions.h has them.
torch::Tensor rotated(const torch::Tensor& x, double theta) {
  const int64_t half = x.size(-1) / 2;
  const auto options = x.options().dtype(torch::kFloat32);
  const torch::Tensor exponents = torch::arange(half, options) / static_cast<double>(half);
  const torch::Tensor angles =
      torch::arange(x.size(2), options).unsqueeze(1) * torch::pow(theta, exponents).reciprocal();
  const torch::Tensor cosines = torch::cos(angles).to(x.scalar_type());
  const torch::Tensor sines = torch::sin(angles).to(x.scalar_type());
  const torch::Tensor a = x.narrow(-1, 0, half);
  const torch::Tensor b = x.narrow(-1, half, half);
  return torch::cat({a * cosines - b * sines, b * cosines + a * sines}, -1);
}

// Far below every score where a key is too far away, but not infinite: a padded query may have no
// real key in its window, and must not become NaN. Added to `key_bias`.
torch::Tensor with_window(const torch::Tensor& key_bias, int64_t window, const torch::Tensor& x) {
  const int64_t T = x.size(1);
  if (window == 0 || T <= window + 1) return key_bias;
  const torch::Tensor indices = torch::arange(T, x.options());
  const torch::Tensor far = (indices.unsqueeze(0) - indices.unsqueeze(1)).abs() > window;
  const torch::Tensor bias = far.to(x.scalar_type()) * -1e30;
  return key_bias.defined() ? key_bias + bias : bias;
}

// Rows `first` to `first` + `rows` of the mixing matrix, as wide as the tokens before and among
// them. In causal attention nothing above the diagonal is read: it would show a token its future.
torch::Tensor mixing_rows(const AttentionWeights& weights, int64_t first, int64_t rows) {
  const int64_t T = first + rows;
  if (T > weights.mixing.size(0)) {
    throw Error(ErrorCode::bad_data, "mix values",
                fmt::format("an input of {} tokens is longer than the {} that this model mixes", T,
                            weights.mixing.size(0)));
  }
  const torch::Tensor block = weights.mixing.narrow(0, first, rows).narrow(1, 0, T);
  return weights.causal ? block.tril(first) : block;
}

// The leading block of the mixing matrix over tokens (2403.01643, Definition 3.5). Padding is set
// to zero first: the matrix would carry it into real tokens, where no mask removes it any more.
torch::Tensor mix(const AttentionWeights& weights, const torch::Tensor& values,
                  const torch::Tensor& key_bias) {
  const int64_t T = values.size(1);
  const torch::Tensor block = mixing_rows(weights, 0, T);
  if (!key_bias.defined()) return torch::matmul(block, values);
  const torch::Tensor real = (key_bias == 0).reshape({-1, T, 1});
  return torch::matmul(block, values * real.to(values.scalar_type()));
}

// (B, T, H * W) to (B, H, T, W).
torch::Tensor by_head(const AttentionWeights& weights, const torch::Tensor& x) {
  return x.reshape({x.size(0), x.size(1), weights.heads, weights.head_width()}).transpose(1, 2);
}

torch::Tensor columns_of(const AttentionWeights& weights, const torch::Tensor& x) {
  return weights.columns.defined() ? x.index_select(2, weights.columns) : x;
}

// Scores between contents and relative positions, (B, H, T, T), of queries and keys (B, H, T, W).
torch::Tensor relative_scores(const AttentionWeights& weights, const torch::Tensor& q,
                              const torch::Tensor& k, const torch::Tensor& relative) {
  const DisentangledShape& shape = weights.disentangled;
  const int64_t T = q.size(2);
  const double scale =
      1.0 / std::sqrt(static_cast<double>(q.size(-1)) * static_cast<double>(shape.terms()));
  const torch::Tensor indices = torch::arange(T, torch::kInt64);
  const torch::Tensor rows =  // by query and key
      torch::tensor(disentangled_rows(shape, T), torch::kInt64)
          .index({indices.unsqueeze(1) - indices.unsqueeze(0) + (T - 1)})
          .to(q.device());
  const auto projected = [&](const Linear& own, const Linear& shared) {
    return by_head(weights, linear(relative, shape.shared_projections ? shared : own).unsqueeze(0));
  };
  const auto taken = [&](const torch::Tensor& all, const torch::Tensor& index) {
    return all.gather(-1, index.expand({all.size(0), all.size(1), T, T}));
  };
  torch::Tensor scores = torch::zeros({1, 1, T, T}, q.options());
  if (shape.content_to_position) {
    const torch::Tensor keys = projected(weights.relative_key, weights.key);  // (1, H, rows, W)
    scores = scores + taken(torch::matmul(q * scale, keys.transpose(-1, -2)), rows);
  }
  if (shape.position_to_content) {
    const torch::Tensor queries = projected(weights.relative_query, weights.query);
    const torch::Tensor all = torch::matmul(k, queries.transpose(-1, -2) * scale);
    scores = scores + taken(all, rows.transpose(0, 1)).transpose(-1, -2);
  }
  return scores;
}

// What is added to scores: of padding, (B, 1, 1, T), and of the heads themselves, (1, H, T, T).
torch::Tensor score_bias(const AttentionWeights& weights, const torch::Tensor& key_bias) {
  if (!weights.score_bias.defined()) return key_bias;
  const torch::Tensor own = weights.score_bias.unsqueeze(0);
  return key_bias.defined() ? key_bias + own : own;
}

torch::Tensor attend(const AttentionWeights& weights, const torch::Tensor& x,
                     const torch::Tensor& memory, const torch::Tensor& key_bias,
                     const torch::Tensor& gate, double dropout,
                     const torch::Tensor& relative = {}) {
  const torch::Tensor input = columns_of(weights, memory);
  const torch::Tensor keys = has_key_projection(weights.kind) ? linear(memory, weights.key) : input;
  torch::Tensor values = has_value_projection(weights.kind) ? linear(memory, weights.value) : input;
  if (weights.mixing.defined()) values = mix(weights, values, key_bias);
  torch::Tensor q = by_head(weights, linear(x, weights.query));
  torch::Tensor k = by_head(weights, keys);
  if (weights.rotary_theta > 0) {
    q = rotated(q, weights.rotary_theta);
    k = rotated(k, weights.rotary_theta);
  }
  torch::Tensor bias = with_window(score_bias(weights, key_bias), weights.window, x);
  if (weights.disentangled.farthest > 0) {
    const torch::Tensor scores = relative_scores(weights, q, k, relative);
    bias = bias.defined() ? bias + scores : scores;
    q = q / std::sqrt(static_cast<double>(weights.disentangled.terms()));
  }
  torch::Tensor context = context_of(q, k, by_head(weights, values), bias, weights.causal,
                                     dropout);  // (B, H, T, W)
  if (gate.defined()) context = context * gate.reshape({-1, weights.heads, 1, 1});
  return linear(context.transpose(1, 2).flatten(2), weights.output);
}

void require_same_width(const AttentionWeights& weights, const torch::Tensor& x,
                        const torch::Tensor& memory) {
  if (x.size(2) == memory.size(2) || heads_can_move(weights.kind)) return;
  throw Error(ErrorCode::usage, "attend to another input",
              fmt::format("{} attention reads columns of it in place of a projection, but it is {} "
                          "wide and the model {}: only standard attention can change the width",
                          attention_name(weights.kind), memory.size(2), x.size(2)));
}

void append(torch::Tensor& kept, const torch::Tensor& more) {
  kept = kept.defined() ? torch::cat({kept, more}, 1) : more;
}

}  // namespace

torch::Tensor attention(const AttentionWeights& weights, const torch::Tensor& x,
                        const torch::Tensor& key_bias, const torch::Tensor& gate, double dropout,
                        const torch::Tensor& relative) {
  return attend(weights, x, x, key_bias, gate, dropout, relative);
}

torch::Tensor cross_attention(const AttentionWeights& weights, const torch::Tensor& x,
                              const torch::Tensor& memory, const torch::Tensor& key_bias,
                              const torch::Tensor& gate, double dropout) {
  require_same_width(weights, x, memory);
  return attend(weights, x, memory, key_bias, gate, dropout);
}

int64_t AttentionCache::length() const {
  for (const torch::Tensor* tensor : {&keys, &values, &inputs}) {
    if (tensor->defined()) return tensor->size(1);
  }
  return 0;
}

int64_t AttentionCache::tensors() const {
  return int64_t{keys.defined()} + int64_t{values.defined()} + int64_t{inputs.defined()};
}

torch::Tensor attend_next(const AttentionWeights& weights, const torch::Tensor& x,
                          AttentionCache& cache) {
  const int64_t before = cache.length();
  const AttentionKind kind = weights.kind;
  if (!has_value_projection(kind)) append(cache.inputs, columns_of(weights, x));
  if (has_key_projection(kind)) append(cache.keys, linear(x, weights.key));
  if (has_value_projection(kind)) append(cache.values, linear(x, weights.value));
  if (has_mixing(kind)) {
    append(cache.values, torch::matmul(mixing_rows(weights, before, x.size(1)), cache.inputs));
  }
  const torch::Tensor& keys = cache.keys.defined() ? cache.keys : cache.inputs;
  const torch::Tensor& values = cache.values.defined() ? cache.values : cache.inputs;
  const torch::Tensor context =
      context_of(by_head(weights, linear(x, weights.query)), by_head(weights, keys),
                 by_head(weights, values), {}, /*causal=*/true, 0.0);
  return linear(context.transpose(1, 2).flatten(2), weights.output);
}

}  // namespace headroom
