#include "train/fine_tuning.h"

#include <fmt/format.h>

#include "base/error.h"
#include "train/checkpoint_model.h"

namespace headroom {
namespace {

void require_same_encoder(const ModelShape& init, const ModelShape& wanted) {
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

void start_from(const std::filesystem::path& init, const std::vector<std::string>& labels,
                ElasticModel& model) {
  CheckpointModel checkpoint = open_checkpoint(init, model.device());
  require_same_encoder(checkpoint.config.shape, model.shape);
  const ModelWeights fresh = model.weights;
  model.weights = checkpoint.model.weights;
  model.layer_norm_eps = checkpoint.config.layer_norm_eps;
  if (model.weights.masked_head) {
    model.weights.masked_head.reset();
    model.weights.pooler = fresh.pooler;
  }
  if (checkpoint.config.labels != labels) model.weights.classifier = fresh.classifier;
  model.weights.positions = model.weights.positions.narrow(0, 0, model.shape.positions).clone();
}

}  // namespace headroom
