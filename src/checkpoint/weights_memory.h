// Whether a model's weights fit into memory, asked before they are read: systems give out more than
// they have and end whoever uses it.
#pragma once

#include <cstdint>
#include <filesystem>

#include "checkpoint/config.h"

namespace headroom {

// Bytes of a model's weights, of `number_bytes` each.
uint64_t weights_bytes(const ModelConfig& config, uint64_t number_bytes);

// Weights of `number_bytes` each that take more than `max_memory` bytes (0: what is available)
// throw ErrorCode::runtime, which names the checkpoint's directory.
void require_weights_fit(const ModelConfig& config, uint64_t number_bytes, uint64_t max_memory,
                         const std::filesystem::path& directory);

}  // namespace headroom
