// A checkpoint directory opened for torch: config, vocabulary, weights.
#pragma once

#include <filesystem>
#include <memory>

#include "text/tokenizer.h"
#include "train/elastic_model.h"
#include "train/task_data.h"

namespace headroom {

struct CheckpointModel {
  ModelConfig config;
  ElasticModel model;
  std::unique_ptr<Tokenizer> tokenizer;
};

// Any checkpoint, a pretrained encoder included.
CheckpointModel open_checkpoint(const std::filesystem::path& directory, torch::Device device);

// The same, but throws ErrorCode::bad_model when it cannot classify yet.
CheckpointModel open_classifier(const std::filesystem::path& directory, torch::Device device);

// The config under which a model trained on `data` is stored.
ModelConfig config_for(const ElasticModel& model, const TaskData& data, Method method);

}  // namespace headroom
