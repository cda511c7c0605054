// Models, batches and lengths drawn at random, for claims that must hold for all of them.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "base/random.h"
#include "budget/selection.h"
#include "budget/shape.h"
#include "model/batch.h"
#include "model/weights.h"

namespace headroom::testing {

// 1-4 layers of 1-8 heads, of any kind. Heads are at least 4 wide: with a width of 1 or 2, layer
// norm is a step function and no two orders of summation agree.
inline ModelShape random_shape(Random& random) {
  ModelShape shape;
  shape.layers = 1 + static_cast<int64_t>(random.below(4));
  shape.heads = 1 + static_cast<int64_t>(random.below(8));
  shape.width = shape.heads * (4 + static_cast<int64_t>(random.below(9)));
  shape.ffn = 1 + static_cast<int64_t>(random.below(100));
  shape.vocabulary = 10 + static_cast<int64_t>(random.below(40));
  shape.positions = 40;
  shape.labels = 2 + static_cast<int64_t>(random.below(5));
  shape.attention = static_cast<AttentionKind>(random.below(4));
  return shape;
}

inline torch::Tensor random_tensor(torch::IntArrayRef sizes, double scale, Random& random) {
  torch::Tensor tensor = torch::empty(sizes);
  float* values = tensor.data_ptr<float>();
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    values[i] = static_cast<float>(scale * random.normal());
  }
  return tensor;
}

// Every number random, biases and norms too: no part of a layer can be left out unnoticed.
inline ModelWeights random_weights(const ModelShape& shape, uint64_t seed,
                                   OutputHead head = OutputHead::classifier) {
  Random random{seed};
  ModelWeights weights = fresh_weights(shape, seed, torch::kCPU, head);
  for_each_tensor(weights, [&](const std::string&, torch::Tensor& tensor) {
    tensor = tensor + random_tensor(tensor.sizes(), 0.2, random);
  });
  return weights;
}

// Rows of these lengths, padded to `padded_length` (0: to the longest) as batches are.
inline Batch random_batch(const ModelShape& shape, const std::vector<int64_t>& lengths,
                          Random& random, int64_t padded_length = 0) {
  const auto B = static_cast<int64_t>(lengths.size());
  const int64_t T = std::max(padded_length, *std::max_element(lengths.begin(), lengths.end()));
  Batch batch;
  batch.tokens = torch::zeros({B, T}, torch::kInt64);
  batch.types = torch::zeros({B, T}, torch::kInt64);
  batch.key_bias = torch::zeros({B, 1, 1, T});
  for (int64_t row = 0; row < B; ++row) {
    const int64_t length = lengths[static_cast<size_t>(row)];
    for (int64_t i = 0; i < length; ++i) {
      const auto token = 1 + random.below(static_cast<uint64_t>(shape.vocabulary - 1));
      batch.tokens[row][i] = static_cast<int64_t>(token);
      batch.types[row][i] = static_cast<int64_t>(random.below(2));
    }
    batch.key_bias.select(0, row).slice(-1, length).fill_(-std::numeric_limits<float>::infinity());
  }
  return batch;
}

struct RandomCase {
  ModelShape shape;
  ModelWeights weights;
  Batch batch;
};

// A model, and rows of these lengths for it.
inline RandomCase random_case(uint64_t seed, const std::vector<int64_t>& lengths) {
  Random random{seed};
  RandomCase drawn;
  drawn.shape = random_shape(random);
  drawn.weights = random_weights(drawn.shape, seed);
  drawn.batch = random_batch(drawn.shape, lengths, random);
  return drawn;
}

// 1 to 5 lengths from 1 to 20.
inline std::vector<int64_t> random_lengths(Random& random) {
  std::vector<int64_t> lengths(1 + random.below(5));
  for (int64_t& length : lengths) length = 1 + static_cast<int64_t>(random.below(20));
  return lengths;
}

inline Selection random_selection(const ModelShape& shape, Random& random) {
  return select_heads(random_order(shape.layers, shape.heads, random.next()),
                      1.0 - random.uniform());
}

// Each layer's first heads and neurons, at least one of either.
inline Selection random_prefixes(const ModelShape& shape, Random& random) {
  Selection selection = all_heads(shape.layers, shape.heads);
  for (auto& layer : selection.kept) layer.resize(1 + random.below(layer.size()));
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    selection.ffn.push_back(1 +
                            static_cast<int64_t>(random.below(static_cast<uint64_t>(shape.ffn))));
  }
  return selection;
}

inline double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

}  // namespace headroom::testing
