#include "checkpoint/weights_memory.h"

#include "base/memory_allowance.h"

namespace headroom {

uint64_t weights_bytes(const ModelConfig& config, uint64_t number_bytes) {
  uint64_t sum = 0;
  for (const TensorSpec& tensor : config.tensors()) {
    uint64_t bytes = number_bytes;
    for (const int64_t side : tensor.shape) bytes *= static_cast<uint64_t>(side);
    sum += bytes;
  }
  return sum;
}

void require_weights_fit(const ModelConfig& config, uint64_t number_bytes, uint64_t max_memory,
                         const std::filesystem::path& directory) {
  MemoryAllowance memory(max_memory, "load model", "weights");
  if (!memory.take(weights_bytes(config, number_bytes))) memory.fail(directory.string());
}

}  // namespace headroom
