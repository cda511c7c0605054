#include "model/forward.h"

#include <limits>

#include "families/families.h"
#include "families/relative_positions.h"
#include "model/attention.h"
#include "model/decoder.h"
#include "model/head_dispatch.h"
#include "model/layers.h"

namespace headroom {
namespace {

torch::Tensor embed(const ModelWeights& weights, const Batch& batch,
                    const ForwardOptions& options) {
  torch::Tensor x;
  if (weights.patched) {
    const torch::Tensor first = weights.class_token.expand({batch.size(), 1, -1});
    x = torch::cat({first, linear(batch.patches, weights.patches)}, 1);
    x = x + weights.positions.narrow(0, 0, batch.length());
  } else {
    x = place_words(weights, batch.tokens, 0);
  }
  if (weights.typed) {
    x = x + (batch.types.defined() ? torch::embedding(weights.types, batch.types)
                                   : weights.types.narrow(0, 0, 1));
  }
  x = drop(normalise(x, weights.embedding_norm, options.layer_norm_eps), options.dropout);
  return weights.narrow ? linear(x, weights.embedding_projection) : x;
}

// (B, T, 1): whether a row is a token's, where some are padding.
torch::Tensor real_rows(const Batch& batch) {
  return (batch.key_bias == 0).reshape({batch.size(), -1, 1});
}

torch::Tensor mean_of_rows(const torch::Tensor& x, const Batch& batch) {
  if (!batch.key_bias.defined()) return x.mean(1);
  const torch::Tensor real = real_rows(batch).to(x.scalar_type());
  return (x * real).sum(1) / real.sum(1);
}

// The two indices of a norm: in front of a block (attention, FFN), or behind its sum with the
// residual.
class Block {
 public:
  Block(NormOrder order, const Norm& norm, double eps) : order_(order), norm_(norm), eps_(eps) {}

  torch::Tensor input(const torch::Tensor& x) const {
    const bool normed = order_ == NormOrder::pre && norm_.weight.defined();
    return normed ? normalise(x, norm_, eps_) : x;
  }
  torch::Tensor sum(const torch::Tensor& x, const torch::Tensor& change) const {
    return order_ == NormOrder::post ? normalise(x + change, norm_, eps_) : x + change;
  }

 private:
  NormOrder order_;
  const Norm& norm_;
  double eps_;
};

torch::Tensor largest_of_rows(const torch::Tensor& x, const Batch& batch) {
  if (!batch.key_bias.defined()) return x.amax(1);
  return x.masked_fill(real_rows(batch).logical_not(), -std::numeric_limits<float>::infinity())
      .amax(1);
}

torch::Tensor vector_of(const ModelWeights& weights, const torch::Tensor& x, const Batch& batch) {
  const Pooling pooling = weights.vector.pooling;
  const torch::Tensor pooled = pooling == Pooling::cls    ? x.select(1, 0)
                               : pooling == Pooling::mean ? mean_of_rows(x, batch)
                                                          : largest_of_rows(x, batch);
  if (!weights.densed) return pooled;
  const torch::Tensor row = linear(pooled, weights.dense);
  return weights.vector.activation == DenseActivation::tanh ? torch::tanh(row) : row;
}

// One layer's row of the (L, ...) factors, or nothing.
torch::Tensor layer_of(const torch::Tensor& factors, size_t layer) {
  return factors.defined() ? factors[static_cast<int64_t>(layer)] : torch::Tensor();
}

// What heads add to the scores of T queries and keys, by their distance: (H, T, T).
torch::Tensor relative_bias(const ModelWeights& weights, int64_t T) {
  const auto options = torch::TensorOptions().dtype(torch::kInt64).device(weights.device());
  const torch::Tensor buckets =
      torch::tensor(relative_buckets(T, weights.relative_bias.size(0)), torch::kInt64).to(options);
  const torch::Tensor indices = torch::arange(T, options);
  const torch::Tensor distances = indices.unsqueeze(1) - indices.unsqueeze(0) + (T - 1);
  return torch::embedding(weights.relative_bias, buckets.index_select(0, distances.flatten()))
      .reshape({T, T, -1})
      .permute({2, 0, 1});
}

// The layer's attention with its heads' part of that.
AttentionWeights with_bias(AttentionWeights attention, const torch::Tensor& bias) {
  if (!bias.defined()) return attention;
  attention.score_bias =
      attention.numbers.defined() ? bias.index_select(0, attention.numbers) : bias;
  return attention;
}

}  // namespace

torch::Tensor encode(const ModelWeights& weights, const Batch& batch,
                     const ForwardOptions& options) {
  torch::Tensor x = embed(weights, batch, options);
  if (options.added.defined()) x = x + options.added;
  const double eps = options.layer_norm_eps;
  const torch::Tensor bias =
      weights.relative_bias.defined() ? relative_bias(weights, batch.length()) : torch::Tensor();
  const torch::Tensor relative = weights.relative_norm.weight.defined()
                                     ? normalise(weights.relative, weights.relative_norm, eps)
                                     : weights.relative;
  const NormOrder norms = weights.form.norms;
  for (size_t i = 0; i < weights.layers.size(); ++i) {
    const LayerWeights& layer = weights.layers[i];
    if (layer.attention.heads > 0) {
      const torch::Tensor factors =
          options.choose ? options.choose(i, x, batch.key_bias) : layer_of(options.gates, i);
      const AttentionWeights weighing = with_bias(layer.attention, bias);
      const Block block(norms, layer.attention_norm, eps);
      const torch::Tensor input = block.input(x);
      const torch::Tensor mixed =
          options.skip
              ? attention_of_chosen(weighing, input, batch.key_bias, factors, relative)
              : attention(weighing, input, batch.key_bias, factors, options.dropout, relative);
      x = block.sum(x, drop(mixed, options.dropout));
    }
    if (layer.up.weight.size(0) > 0) {
      const Block block(norms, layer.ffn_norm, eps);
      const torch::Tensor wide = ffn(layer, block.input(x), layer_of(options.ffn_gates, i));
      x = block.sum(x, drop(wide, options.dropout));
    }
  }
  return norms == NormOrder::pre ? normalise(x, weights.final_norm, eps) : x;
}

torch::Tensor forward(const ModelWeights& weights, const Batch& batch,
                      const ForwardOptions& options) {
  const torch::Tensor x = encode(weights, batch, options);
  if (weights.head == OutputHead::language) {
    const torch::Tensor rows =
        weights.decoder.empty() ? x : decode(weights, x, batch.key_bias, batch.target, options);
    return language_logits(weights, rows).flatten(0, 1);
  }
  if (weights.head == OutputHead::vector) return vector_of(weights, x, batch);
  if (weights.head == OutputHead::tagger) {
    return linear(drop(x, options.dropout), weights.classifier).flatten(0, 1);
  }
  const bool mean = options.mean_pooling || weights.mean_pooling;
  torch::Tensor pooled =
      activate(linear(mean ? mean_of_rows(x, batch) : x.select(1, 0), weights.pooler),
               find_schema(weights.family)->pooler_activation);
  if (weights.pooler_norm.weight.defined()) {
    pooled = normalise(pooled, weights.pooler_norm, options.layer_norm_eps);
  }
  return linear(drop(pooled, options.dropout), weights.classifier);
}

torch::Tensor masked_logits(const ModelWeights& weights, const torch::Tensor& rows,
                            double layer_norm_eps) {
  const MaskedHead& head = *weights.masked_head;
  const torch::Tensor hidden =
      normalise(torch::gelu(linear(rows, head.transform)), head.norm, layer_norm_eps);
  return torch::linear(hidden, weights.words, head.bias);
}

}  // namespace headroom
