// Several labels: each that reached its threshold, with its score; an empty line for none. With
// --top-k, the best ones whether they did or not.
#include "cli/outputs/output.h"
#include "engine/answers/rank.h"

namespace headroom {

std::string multilabel_text(const ModelConfig& config, const Answer& answer, const TextForm& form) {
  return scored_labels(config, answer,
                       form.top_k > 0 ? best_labels(answer, form.top_k) : answer.labels);
}

}  // namespace headroom
