// A whole checkpoint of a few hundred bytes, for tests and fuzz targets to damage: two layers of
// two heads, six words, two labels.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "checkpoint/checkpoint.h"

namespace headroom::testing {

inline ModelConfig small_config() {
  ModelConfig config;
  config.shape = {
      .layers = 2, .width = 4, .heads = 2, .ffn = 6, .vocabulary = 6, .positions = 4, .labels = 2};
  config.labels = {"bad", "good"};
  return config;
}

inline void write_small_checkpoint(const std::filesystem::path& folder) {
  const std::vector<float> values(256, 0.5F);
  CheckpointContent content{small_config(), Vocabulary::with_words({"a"}).to_text(), "", "", {}};
  for (const TensorSpec& entry : content.config.tensors()) {
    size_t count = 1;
    for (const int64_t side : entry.shape) count *= static_cast<size_t>(side);
    content.tensors.push_back(
        {entry.name, DType::f32, entry.shape, std::as_bytes(std::span(values).first(count))});
  }
  write_checkpoint(folder, content);
}

}  // namespace headroom::testing
