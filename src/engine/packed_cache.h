// A folder of packed weights, for models to start in a fraction of the time that packing takes and
// for processes to share their memory. The folder is trusted, unlike those of models: whoever can
// write to it decides what models answer.
#pragma once

#include <filesystem>
#include <string>

#include "engine/weights.h"

namespace headroom {

struct CachedWeights {
  EngineWeights weights;
  std::string note;  // why weights were packed anew, or not written; empty: nothing to tell
};

// load_engine_weights(), from `folder` where it holds them; otherwise they are packed, written
// there and mapped. A file that is damaged or of other weights is replaced, and one that cannot be
// written leaves the process with its own memory: a note tells. `folder` is made when it is
// missing. Throws ErrorCode::usage when it is no folder, or when others may write to it.
CachedWeights load_cached_weights(const std::filesystem::path& folder,
                                  const std::filesystem::path& safetensors,
                                  const ModelConfig& config, Precision precision,
                                  const Kernels& kernels);

}  // namespace headroom
