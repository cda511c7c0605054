// A Hugging Face folder becomes a checkpoint: read, checked, renamed, written whole or not at
// all. Nothing in the folder is executed or unpickled.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "checkpoint/config.h"

namespace headroom {

struct ImportReport {
  std::string architecture;  // of the folder
  ModelConfig config;        // of the checkpoint
  int64_t parameters = 0;
  std::vector<std::string> notes;  // what the folder said and the checkpoint does not keep
};

// Throws ErrorCode::bad_model when the folder is damaged or not a BERT that the engine computes,
// ErrorCode::usage when `out` exists and is no checkpoint.
ImportReport import_hf_folder(const std::filesystem::path& from, const std::filesystem::path& out);

}  // namespace headroom
