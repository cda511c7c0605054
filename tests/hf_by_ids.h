// Models of tests/data/hf as checkpoints whose words are made up: for token ids that are given.
#pragma once

#include <filesystem>
#include <list>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "checkpoint/hf/config.h"
#include "checkpoint/hf/tensors.h"
#include "hf_model.h"

namespace headroom::testing {

// A bare encoder gets a classifier of zeros, so that every engine runs it.
inline ModelConfig import_by_ids(const std::string& name, const std::filesystem::path& out) {
  const HfFolder folder(hf_model_folder(name));
  ModelConfig config = read_hf_config(folder.json("config.json")).config;
  config.tokenizer = TokenizerKind::word;
  std::vector<std::string> words = {"<s>", "</s>"};
  while (static_cast<int64_t>(words.size()) + special_count < config.shape.vocabulary) {
    words.push_back("w" + std::to_string(words.size()));
  }
  const HfWeights weights(folder);
  std::vector<TensorView> tensors = map_hf_tensors(weights, config).tensors;
  std::list<std::vector<float>> zeros;
  if (!config.classifies()) {
    config.task = Task::classify;
    config.labels = {"a", "b"};
    config.shape.labels = 2;
    for (const TensorSpec& entry : config.tensors()) {
      if (entry.module.role != Role::pooler && entry.module.role != Role::classifier) continue;
      size_t count = 1;
      for (const int64_t side : entry.shape) count *= static_cast<size_t>(side);
      const std::vector<float>& values = zeros.emplace_back(count);
      tensors.push_back(
          {entry.name, DType::f32, entry.shape, std::as_bytes(std::span<const float>(values))});
    }
  }
  write_checkpoint(out, {config, Vocabulary::with_words(words).to_text(), "", "", tensors});
  return config;
}

}  // namespace headroom::testing
