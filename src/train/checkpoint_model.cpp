#include "train/checkpoint_model.h"

#include "checkpoint/checkpoint.h"
#include "checkpoint/make_tokenizer.h"
#include "model/weights_io.h"

namespace headroom {
inline namespace train {

CheckpointModel open_checkpoint(const std::filesystem::path& directory, torch::Device device) {
  ModelConfig config = read_config(directory);
  std::unique_ptr<Tokenizer> tokenizer = load_tokenizer(directory, config);
  ElasticModel model;
  model.shape = config.shape;
  model.dropout = config.dropout;
  model.layer_norm_eps = config.layer_norm_eps;
  model.weights = to_device(load_weights(directory, config), device);
  if (config.gates) model.gates = gates_from(*config.gates, device);
  model.order = config.order;
  model.relevance_temperature = config.relevance_temperature;
  model.objective = objective_of(config);
  return {std::move(config), std::move(model), std::move(tokenizer)};
}

CheckpointModel open_finished(const std::filesystem::path& directory, torch::Device device) {
  const Task task = read_config(directory).task;
  if (task == Task::masked_lm || task == Task::encoder) {
    require_answers(read_config(directory), directory);
  }
  return open_checkpoint(directory, device);
}

CheckpointModel open_for_texts(const std::filesystem::path& directory, torch::Device device) {
  require_answers(read_config(directory), directory);
  return open_checkpoint(directory, device);
}

ModelConfig config_for(const ElasticModel& model, const TaskData& data, Method method) {
  ModelConfig config;
  config.shape = model.shape;
  config.dropout = model.dropout;
  config.layer_norm_eps = model.layer_norm_eps;
  config.task = data.task;
  config.method = method;
  config.labels = data.labels;
  config.image = data.train.image;
  config.tokenizer = data.tokenizer;
  config.lower_case = data.lower_case;
  config.letter_case = data.letter_case;
  config.truncation = data.truncation;
  if (model.gates) config.gates = model.gates->parameters();
  config.order = model.order;
  if (data.task == Task::embed) config.output.vector = model.weights.vector;
  config.relevance_temperature = model.relevance_temperature;
  return config;
}

}  // namespace train
}  // namespace headroom
