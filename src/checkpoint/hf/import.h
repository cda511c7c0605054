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

struct ImportOptions {
  bool follow_links = false;             // out of the folder, as the Hub's cache has them
  std::vector<std::string> labels = {};  // in the place of the folder's names, in their order
};

// Throws ErrorCode::bad_model when the folder is damaged or no model that the engine computes,
// ErrorCode::usage when `out` exists and is no checkpoint, or `labels` are not as many as the model
// has.
ImportReport import_hf_folder(const std::filesystem::path& from, const std::filesystem::path& out,
                              const ImportOptions& options = {});

}  // namespace headroom
