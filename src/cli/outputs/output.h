// What predict writes of an answer for people: one file an output, listed in output.cpp by what a
// task's output is. The JSON is engine/answer_json.h's.
#pragma once

#include <string>

#include "checkpoint/config.h"
#include "headroom/types.h"

namespace headroom {

// A line, without its end. With `raw_scores` a ranking is its logit.
using OutputText = std::string (*)(const ModelConfig& config, const Answer& answer,
                                   bool raw_scores);

std::string classify_text(const ModelConfig& config, const Answer& answer, bool raw_scores);
std::string multilabel_text(const ModelConfig& config, const Answer& answer, bool raw_scores);
std::string score_text(const ModelConfig& config, const Answer& answer, bool raw_scores);
std::string tag_text(const ModelConfig& config, const Answer& answer, bool raw_scores);
std::string embed_text(const ModelConfig& config, const Answer& answer, bool raw_scores);

// Throws ErrorCode::usage for a task whose answers are no Answer.
OutputText output_of(Task task);

}  // namespace headroom
