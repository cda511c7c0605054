// What a model's answers can be asked for: options are for one output each.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "checkpoint/config.h"
#include "headroom/types.h"

namespace headroom {

// Throws ErrorCode::usage for an option that the model's output does not have, or a value that it
// cannot take.
void check_options(const ModelConfig& config, const AnswerOptions& options);

// The text that goes in front of others: that of `name`, or the model's usual one. Throws
// ErrorCode::usage for a name that it does not have.
std::string_view prompt_of(const ModelConfig& config, const std::optional<std::string>& name);

}  // namespace headroom
