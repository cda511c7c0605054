// Classification: the label and its score.
#include <fmt/format.h>

#include "cli/outputs/output.h"

namespace headroom {

std::string classify_text(const ModelConfig& config, const Answer& answer, bool /*raw_scores*/) {
  return fmt::format("{}\t{:.4f}", config.labels[answer.label], answer.scores[answer.label]);
}

}  // namespace headroom
