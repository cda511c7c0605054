#include "engine/model.h"

#include <utility>

#include "budget/ladder/policy_calibration.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/make_tokenizer.h"
#include "checkpoint/weights_memory.h"
#include "engine/heads/heads.h"
#include "engine/packed_cache.h"

namespace headroom {
namespace {

CachedWeights load_weights(const std::filesystem::path& safetensors, const ModelConfig& config,
                           const EngineOptions& options, Isa isa) {
  const Kernels& kernels = kernels_for(isa);
  if (options.packed_cache.empty()) {
    return {load_engine_weights(safetensors, config, options.precision, kernels), ""};
  }
  return load_cached_weights(options.packed_cache, safetensors, config, options.precision, kernels);
}

}  // namespace

EngineModel::EngineModel(ModelConfig config, EngineWeights weights, const Kernels& kernels,
                         std::unique_ptr<Tokenizer> tokenizer, StoredPolicy policy,
                         std::string packed_note)
    : config_(std::move(config)),
      weights_(std::move(weights)),
      kernels_(kernels),
      tokenizer_(std::move(tokenizer)),
      head_(make_head(config_, weights_)),
      policy_(std::move(policy)),
      packed_note_(std::move(packed_note)) {}

Plan EngineModel::plan(double budget) const {
  if (!config_.adaptive()) return make_plan(weights_, config_.selection(budget));
  Plan plan = make_plan(weights_, config_.everything());
  plan.limit = config_.head_limit(budget);
  return plan;
}

std::shared_ptr<const EngineModel> EngineModel::load(const std::filesystem::path& directory,
                                                     const EngineOptions& options) {
  return load(directory, read_config(directory), options);
}

std::shared_ptr<const EngineModel> EngineModel::load(const std::filesystem::path& directory,
                                                     ModelConfig config,
                                                     const EngineOptions& options) {
  require_answers(config, directory);
  const Isa isa = options.isa ? checked_isa(*options.isa) : chosen_isa();
  std::unique_ptr<Tokenizer> tokenizer = load_tokenizer(directory, config);
  const auto number_bytes = static_cast<uint64_t>(4 / elements_per_lane(options.precision));
  require_weights_fit(config, number_bytes, options.max_memory, directory);
  CachedWeights loaded = load_weights(directory / "model.safetensors", config, options, isa);
  StoredPolicy policy;
  if (!options.without_policy) policy = read_policy(directory, config);
  if (policy.policy) {
    config.output.calibration = calibration_with(*policy.policy, config.output.calibration);
  }
  return std::shared_ptr<const EngineModel>(
      new EngineModel(std::move(config), std::move(loaded.weights), kernels_for(isa),
                      std::move(tokenizer), std::move(policy), std::move(loaded.note)));
}

Tokens tokenise(const EngineModel& model, const Text& text) {
  return model.tokenizer().tokens(text, static_cast<int>(model.config().longest_input()));
}

}  // namespace headroom
