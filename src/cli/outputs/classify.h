// Classification as predict writes it: the label and its score, or all scores by label.
#pragma once

#include "cli/outputs/output.h"

namespace headroom {

std::string classify_text(const ModelConfig& config, const Answer& answer);
void classify_json(const ModelConfig& config, const Answer& answer, Json& line);

inline constexpr Output classify_output = {classify_text, classify_json};

}  // namespace headroom
