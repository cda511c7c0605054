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

// With `by_depth`, small budgets leave the second layer without heads and neurons.
inline std::filesystem::path write_nested(const TemporaryFolder& folder, bool by_depth = false) {
  ModelConfig config;
  config.shape = exported_shape();
  config.method = Method::nested;
  config.order = by_depth ? depth_order(config.shape, 8) : uniform_order(config.shape, 8);
  config.labels = {"a", "b", "c \"quoted\""};
  const Tensors tensors = random_tensors(config.shape, 7);
  CheckpointContent content{config, letters().to_text(), "# Random\n", "", {}};
  for (const TensorName& entry : tensor_names(config.shape)) {
    content.tensors.push_back({entry.name, DType::f32, entry.shape,
                               std::as_bytes(std::span<const float>(tensors.at(entry.name)))});
  }
  std::filesystem::path path = folder.path() / "model";
  write_checkpoint(path, content);
  return path;
}

}  // namespace headroom::testing
