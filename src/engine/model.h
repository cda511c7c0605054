// A checkpoint loaded for inference: immutable, so any number of workers in any number of threads
// share one.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "checkpoint/config.h"
#include "checkpoint/policy_file.h"
#include "engine/encoder/encoder.h"
#include "engine/heads/head.h"
#include "engine/kernels/kernels.h"
#include "engine/plan.h"
#include "engine/precision.h"
#include "engine/weights.h"
#include "text/tokenizer.h"

namespace headroom {

struct EngineOptions {
  Precision precision = Precision::fp32;
  std::optional<Isa> isa = {};  // none: chosen_isa()
  uint64_t max_memory = 0;      // bytes that the weights may take; 0: what is available
  bool without_policy = false;  // as if there were no policy.json: raw scores, flat budgets
  std::filesystem::path packed_cache = {};  // packed_cache.h; empty: weights are packed
};

class EngineModel {
 public:
  // Reads a checkpoint directory. Throws ErrorCode::bad_model when it is missing, damaged or no
  // classifier, ErrorCode::usage when the options ask for what this CPU lacks, ErrorCode::runtime
  // when the weights are larger than memory.
  static std::shared_ptr<const EngineModel> load(const std::filesystem::path& directory,
                                                 const EngineOptions& options = {});
  // The same for whoever has read config.json already.
  static std::shared_ptr<const EngineModel> load(const std::filesystem::path& directory,
                                                 ModelConfig config, const EngineOptions& options);

  const ModelConfig& config() const { return config_; }
  const EngineWeights& weights() const { return weights_; }
  const Kernels& kernels() const { return kernels_; }
  const Tokenizer& tokenizer() const { return *tokenizer_; }
  const Head& head() const { return *head_; }
  const StoredPolicy& policy() const { return policy_; }
  // What became of the packed cache, where people should know; empty otherwise.
  const std::string& packed_note() const { return packed_note_; }
  Encoder encoder() const { return {weights_, kernels_, *head_}; }

  // Throws ErrorCode::usage for a budget that the model was not trained for.
  Plan plan(double budget) const;

 private:
  EngineModel(ModelConfig config, EngineWeights weights, const Kernels& kernels,
              std::unique_ptr<Tokenizer> tokenizer, StoredPolicy policy, std::string packed_note);

  ModelConfig config_;
  EngineWeights weights_;
  const Kernels& kernels_;
  std::unique_ptr<const Tokenizer> tokenizer_;
  std::unique_ptr<const Head> head_;
  StoredPolicy policy_;
  std::string packed_note_;
};

// Truncated to what the model reads. Throws ErrorCode::bad_data when a text is not UTF-8.
Tokens tokenise(const EngineModel& model, const Text& text);

}  // namespace headroom
