// `predict` for models that do not classify texts: they generate text, or classify images.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "cli/engines/engine.h"

namespace headroom {

struct OtherTaskRequest {
  EngineRequest engine;
  double budget = 1;
  std::vector<std::string> files;  // texts; of an image model, data SPECs
  std::vector<std::string> texts;  // instead of files
  bool jsonl = false;
  std::string data_dir;
  int64_t max_new_tokens = 200;
  double temperature = 0.8;
  int64_t top_k = 0;
  int beam = 4;
  uint64_t seed = 1;
};

// Prints an answer a line. Throws ErrorCode::usage where the linked engine has no such tasks.
void predict_other_task(Task task, const OtherTaskRequest& request, bool json);

}  // namespace headroom
