#include "engine/model.h"

#include <utility>

#include "checkpoint/checkpoint.h"
#include "checkpoint/make_tokenizer.h"
#include "checkpoint/weights_memory.h"

namespace headroom {

EngineModel::EngineModel(ModelConfig config, EngineWeights weights, const Kernels& kernels,
                         std::unique_ptr<Tokenizer> tokenizer)
    : config_(std::move(config)),
      weights_(std::move(weights)),
      kernels_(kernels),
      tokenizer_(std::move(tokenizer)) {}

Plan EngineModel::plan(double budget) const {
  if (!config_.adaptive()) return make_plan(weights_, config_.selection(budget));
  Plan plan = make_plan(weights_, config_.everything());
  plan.limit = config_.head_limit(budget);
  return plan;
}

std::shared_ptr<const EngineModel> EngineModel::load(const std::filesystem::path& directory,
                                                     const EngineOptions& options) {
  const Isa isa = options.isa ? checked_isa(*options.isa) : chosen_isa();
  ModelConfig config = read_classifier_config(directory);
  std::unique_ptr<Tokenizer> tokenizer =
      make_tokenizer(config.tokenizer, config.lower_case, read_vocabulary(directory, config));
  const auto number_bytes = static_cast<uint64_t>(4 / numbers_per_unit(options.precision));
  require_weights_fit(config, number_bytes, options.max_memory, directory);
  EngineWeights weights =
      load_engine_weights(directory / "model.safetensors", config, options.precision);
  return std::shared_ptr<const EngineModel>(new EngineModel(
      std::move(config), std::move(weights), kernels_for(isa), std::move(tokenizer)));
}

}  // namespace headroom
