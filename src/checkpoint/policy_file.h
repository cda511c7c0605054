// policy.json and rung_zero.safetensors beside a checkpoint's weights: what `headroom tune` stores
// and --budget auto reads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "budget/ladder/ngram_bag.h"
#include "budget/ladder/policy.h"
#include "checkpoint/config.h"

namespace headroom {

struct StoredPolicy {
  std::optional<Policy> policy;
  std::optional<NgramBag> rung_zero;
  std::string note;  // why there is no policy, though there is a file; otherwise empty
};

// Nothing without a policy.json, and a note where it was made for other weights. Throws
// ErrorCode::bad_model when either file is damaged, or names budgets, labels or tokens that the
// model does not have.
StoredPolicy read_policy(const std::filesystem::path& checkpoint, const ModelConfig& config);

// Fills in both checksums. A reader sees the old policy, none, or the new one.
void write_policy(const std::filesystem::path& checkpoint, Policy policy,
                  const std::optional<NgramBag>& rung_zero);

// The XXH64 of a checkpoint's weights: what config.json says, otherwise of the file.
uint64_t weights_checksum(const std::filesystem::path& checkpoint, const ModelConfig& config);

NgramBag read_rung_zero(const std::filesystem::path& file);

}  // namespace headroom
