// What predict writes of an answer for people: one file an output, listed in output.cpp by what a
// task's output is. The JSON is engine/answer_json.h's.
#pragma once

#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "headroom/types.h"

namespace headroom {

struct TextForm {
  bool raw_scores = false;  // a ranking is its logit
  size_t top_k = 0;         // labels, best first; 0: those that the answer names
  bool token_tags = false;  // JSON lists the tokens, though there be none
};

// A line, without its end.
using OutputText = std::string (*)(const ModelConfig& config, const Answer& answer,
                                   const TextForm& form);

std::string classify_text(const ModelConfig& config, const Answer& answer, const TextForm& form);
std::string multilabel_text(const ModelConfig& config, const Answer& answer, const TextForm& form);
std::string score_text(const ModelConfig& config, const Answer& answer, const TextForm& form);
std::string tag_text(const ModelConfig& config, const Answer& answer, const TextForm& form);
std::string embed_text(const ModelConfig& config, const Answer& answer, const TextForm& form);

// "sport<TAB>0.9143<TAB>world<TAB>0.0512"
std::string scored_labels(const ModelConfig& config, const Answer& answer,
                          const std::vector<size_t>& labels);

// Throws ErrorCode::usage for a task whose answers are no Answer.
OutputText output_of(Task task);

}  // namespace headroom
