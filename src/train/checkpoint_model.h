// A checkpoint directory opened for torch: config, vocabulary, weights.
#pragma once

#include <filesystem>
#include <memory>

#include "text/tokenizer.h"
#include "train/rows/task_data.h"
#include "train/stages/elastic_model.h"

namespace headroom {
inline namespace train {

struct CheckpointModel {
  ModelConfig config;
  ElasticModel model;
  std::unique_ptr<Tokenizer> tokenizer;
};

// Any checkpoint, a pretrained encoder included.
CheckpointModel open_checkpoint(const std::filesystem::path& directory, torch::Device device);

// A model that was trained for a task of its own; throws ErrorCode::bad_model for an encoder to
// start from.
CheckpointModel open_finished(const std::filesystem::path& directory, torch::Device device);

// The same for one that answers texts.
CheckpointModel open_for_texts(const std::filesystem::path& directory, torch::Device device);

// The config under which a model trained on `data` is stored.
ModelConfig config_for(const ElasticModel& model, const TaskData& data, Method method);

}  // namespace train
}  // namespace headroom
