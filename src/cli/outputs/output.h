// What predict writes of an answer, for people and as JSON: one file an output, listed in
// output.cpp by the task that has it.
#pragma once

#include <string>

#include "base/json.h"
#include "checkpoint/config.h"
#include "headroom/types.h"

namespace headroom {

struct Output {
  std::string (*text)(const ModelConfig& config, const Answer& answer);  // a line, without its end
  void (*json)(const ModelConfig& config, const Answer& answer, Json& line);  // adds its own keys
};

// Throws ErrorCode::usage for a task whose answers are no Answer.
const Output& output_of(Task task);

}  // namespace headroom
