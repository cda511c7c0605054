// Small nested checkpoints with random weights, to be exported.
#pragma once

#include <filesystem>
#include <string>

#include "engine/random_model.h"

namespace headroom::testing {

inline ModelShape exported_shape() {
  return {.layers = 2,
          .width = 32,
          .heads = 4,
          .ffn = 64,
          .vocabulary = letters().size(),
          .positions = 24,
          .labels = 3};
}

inline std::filesystem::path write_exported(const TemporaryFolder& folder, ModelConfig config) {
  config.shape = exported_shape();
  config.labels = {"a", "b", "c \"quoted\""};
  if (config.task == Task::rerank) {
    config.shape.labels = 1;
    config.labels.resize(1);
  }
  const Tensors tensors = random_tensors(config.shape, 7);
  CheckpointContent content{config, letters().to_text(), "# Random\n", "", {}};
  for (const TensorSpec& entry : tensor_specs(config.shape)) {
    content.tensors.push_back({entry.name, DType::f32, entry.shape,
                               std::as_bytes(std::span<const float>(tensors.at(entry.name)))});
  }
  std::filesystem::path path = folder.path() / "model";
  write_checkpoint(path, content);
  return path;
}

// With `by_depth`, small budgets leave the second layer without heads and neurons.
inline std::filesystem::path write_nested(const TemporaryFolder& folder, bool by_depth = false) {
  ModelConfig config;
  config.method = Method::nested;
  const ModelShape shape = exported_shape();
  config.order = by_depth ? depth_order(shape, 8) : uniform_order(shape, 8);
  return write_exported(folder, config);
}

// Gates that choose heads 2 and 1 first in one layer, 3 and 0 in the other.
inline std::filesystem::path write_gated(const TemporaryFolder& folder) {
  ModelConfig config;
  config.method = Method::budgeted;
  config.gates = GateParameters{2, 4, {-1, 2, 3, -2, 1, -3, -4, 4}, {unit_slope}};
  return write_exported(folder, config);
}

// A dense checkpoint whose weights are missing: for what is refused before they are read.
inline std::filesystem::path write_config_alone(const TemporaryFolder& folder,
                                                AttentionKind kind = AttentionKind::standard) {
  ModelConfig config;
  config.shape = exported_shape();
  config.shape.attention = kind;
  config.labels = {"a", "b", "c"};
  std::filesystem::path path = folder.path() / "model";
  write_checkpoint(path, {config, letters().to_text(), "", "", {}});
  return path;
}

}  // namespace headroom::testing
