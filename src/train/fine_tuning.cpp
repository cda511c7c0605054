#include "train/fine_tuning.h"

#include <fmt/format.h>

#include "base/error.h"
#include "train/checkpoint_model.h"

namespace headroom {
inline namespace train {
namespace {

void require_whole(const ModelConfig& init) {
  if (!init.stored) return;
  throw Error(ErrorCode::usage, "start from checkpoint",
              "it is a compact model, cut to one budget: start from the model it was made of");
}

void require_same_encoder(const ModelShape& init, const ModelShape& wanted) {
  if (init.attention != wanted.attention) {
    throw Error(ErrorCode::usage, "start from checkpoint",
                fmt::format("its attention is {}, {} was asked for", attention_name(init.attention),
                            attention_name(wanted.attention)));
  }
  if (init.layers == wanted.layers && init.width == wanted.width && init.heads == wanted.heads &&
      init.ffn == wanted.ffn && init.vocabulary == wanted.vocabulary &&
      init.positions >= wanted.positions) {
    return;
  }
  throw Error(
      ErrorCode::usage, "start from checkpoint",
      fmt::format("it has {} layers, width {}, {} heads, FFN {}, a vocabulary of {}, {} tokens; "
                  "{}, {}, {}, {}, {}, {} were asked for",
                  init.layers, init.width, init.heads, init.ffn, init.vocabulary, init.positions,
                  wanted.layers, wanted.width, wanted.heads, wanted.ffn, wanted.vocabulary,
                  wanted.positions));
}

}  // namespace

bool keeps_head(const ModelConfig& init, Task task, const std::vector<std::string>& labels) {
  return traits(init.task).output == traits(task).output && init.labels == labels &&
         task != Task::regress;
}

void start_from(const std::filesystem::path& init, const std::vector<std::string>& labels,
                ElasticModel& model, Task task) {
  CheckpointModel checkpoint = open_checkpoint(init, model.device());
  require_whole(checkpoint.config);
  require_same_encoder(checkpoint.config.shape, model.shape);
  const ModelWeights fresh = model.weights;
  model.weights = checkpoint.model.weights;
  model.layer_norm_eps = checkpoint.config.layer_norm_eps;
  model.weights.masked_head.reset();
  model.weights.head = fresh.head;
  model.weights.densed = fresh.densed;
  if (!model.weights.pooler.weight.defined()) {
    model.weights.pooler = fresh.pooler;
    model.weights.pooler_norm = fresh.pooler_norm;
  }
  if (!keeps_head(checkpoint.config, task, labels)) {
    model.weights.classifier = fresh.classifier;
    model.weights.dense = fresh.dense;
    model.weights.vector = fresh.vector;
  }
  const bool same_controllers = checkpoint.config.shape.controller == model.shape.controller;
  for (size_t i = 0; i < fresh.layers.size() && !same_controllers; ++i) {
    model.weights.layers[i].controller = fresh.layers[i].controller;
  }
  torch::Tensor& types = model.weights.types;
  if (types.defined() && types.size(0) != model.shape.token_types) {
    types = types.narrow(0, 0, 1).repeat({model.shape.token_types, 1});
  }
  const int64_t longest = model.shape.positions;
  model.weights.longest = longest;
  if (model.weights.positions.defined()) {
    model.weights.positions =
        model.weights.positions.narrow(0, 0, model.shape.position_rows()).clone();
  }
  for (LayerWeights& layer : model.weights.layers) {
    torch::Tensor& mixing = layer.attention.mixing;
    if (mixing.defined()) mixing = mixing.narrow(0, 0, longest).narrow(1, 0, longest).clone();
  }
}

}  // namespace train
}  // namespace headroom
