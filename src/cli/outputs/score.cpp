// A ranking or a number: the score.
#include <fmt/format.h>

#include "cli/outputs/output.h"

namespace headroom {

std::string score_text(const ModelConfig& /*config*/, const Answer& answer, const TextForm& form) {
  return fmt::format("{:.4f}", form.raw_scores ? answer.logit : answer.score);
}

}  // namespace headroom
