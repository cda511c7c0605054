// Several labels: each that reached its threshold, with its score; an empty line for none.
#include <fmt/format.h>

#include "cli/outputs/output.h"

namespace headroom {

std::string multilabel_text(const ModelConfig& config, const Answer& answer, bool /*raw_scores*/) {
  std::string text;
  for (const size_t label : answer.labels) {
    text += fmt::format("{}{}\t{:.4f}", text.empty() ? "" : "\t", config.labels[label],
                        answer.scores[label]);
  }
  return text;
}

}  // namespace headroom
