// Vectors: their numbers, with spaces between them.
#include "base/join.h"
#include "cli/outputs/output.h"

namespace headroom {

std::string embed_text(const ModelConfig& /*config*/, const Answer& answer,
                       const TextForm& /*form*/) {
  return join(answer.embedding, " ");
}

}  // namespace headroom
