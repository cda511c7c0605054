// The smallest model and task that still have everything: layers, heads, gates, decoys.
#pragma once

#include <ATen/Parallel.h>

#include <memory>
#include <vector>

#include "data/encoded.h"
#include "train/evaluate/evaluate.h"
#include "train/rows/batches.h"
#include "train/stages/elastic_model.h"

namespace headroom::testing {

inline const SyntheticTask tiny_task = {
    .tokens = 12, .decoys = 1, .values = 4, .decoy_markers = 1, .symbols = 8};

inline ModelShape tiny_shape() {
  return {.layers = 2,
          .width = 16,
          .heads = 4,
          .ffn = 32,
          .vocabulary = symbol_count(tiny_task) + special_count,
          .positions = tiny_task.tokens + 2,
          .labels = tiny_task.values};
}

inline ElasticModel tiny_model(uint64_t seed = 1) {
  ElasticModel model;
  model.shape = tiny_shape();
  model.weights = fresh_weights(model.shape, seed, torch::kCPU);
  model.gates = fresh_gates(model.shape.layers, model.shape.heads, false, seed, torch::kCPU);
  return model;
}

inline std::unique_ptr<BatchSource> tiny_source(int batch_size = 8, int64_t epoch_rows = 64) {
  return synthetic_source(tiny_task, batch_size, epoch_rows, 1, torch::kCPU);
}

inline std::vector<Batch> tiny_validation(int64_t rows = 64) {
  return evaluation_batches(encode_synthetic(tiny_task, 99, 0, rows), 32, torch::kCPU);
}

// All numbers of a model, gates included, in a fixed order.
inline std::vector<torch::Tensor> tensors_of(ElasticModel model) {
  std::vector<torch::Tensor> tensors;
  for_each_tensor(model.weights, [&](const std::string&, torch::Tensor& tensor) {
    tensors.push_back(tensor.detach());
  });
  if (model.gates) {
    tensors.push_back(model.gates->offset.detach());
    tensors.push_back(model.gates->slope.detach());
  }
  return tensors;
}

inline bool same_bits(const ElasticModel& a, const ElasticModel& b) {
  const auto left = tensors_of(a);
  const auto right = tensors_of(b);
  for (size_t i = 0; i < left.size(); ++i) {
    if (!torch::equal(left[i], right[i])) return false;
  }
  return left.size() == right.size();
}

inline double largest_difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

}  // namespace headroom::testing
