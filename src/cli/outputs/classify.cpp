#include "cli/outputs/classify.h"

#include <fmt/format.h>

namespace headroom {

std::string classify_text(const ModelConfig& config, const Answer& answer) {
  return fmt::format("{}\t{:.4f}", config.labels[answer.label], answer.scores[answer.label]);
}

void classify_json(const ModelConfig& config, const Answer& answer, Json& line) {
  line["label"] = config.labels[answer.label];
  Json& scores = line["scores"] = Json::object();
  for (size_t i = 0; i < config.labels.size(); ++i) scores[config.labels[i]] = answer.scores[i];
}

}  // namespace headroom
