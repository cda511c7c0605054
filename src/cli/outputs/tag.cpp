// Tags: each entity with its label and where it stands; an empty line for none.
#include <fmt/format.h>

#include "cli/outputs/output.h"

namespace headroom {

std::string tag_text(const ModelConfig& /*config*/, const Answer& answer,
                     const TextForm& /*form*/) {
  std::string text;
  for (const Entity& entity : answer.entities) {
    text += fmt::format("{}{}\t{}\t{}-{}\t{:.4f}", text.empty() ? "" : "\t", entity.label,
                        entity.text, entity.start, entity.end, entity.score);
  }
  for (char& c : text) {
    if (c == '\n' || c == '\r') c = ' ';  // an answer is a line
  }
  return text;
}

}  // namespace headroom
