// Classification: the label and its score; with --top-k, those of the best labels.
#include "cli/outputs/output.h"
#include "engine/answers/rank.h"

namespace headroom {

std::string classify_text(const ModelConfig& config, const Answer& answer, const TextForm& form) {
  return scored_labels(
      config, answer, form.top_k > 0 ? best_labels(answer, form.top_k) : std::vector{answer.label});
}

}  // namespace headroom
