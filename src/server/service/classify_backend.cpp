#include "server/service/classify_backend.h"

#include <fmt/format.h>

namespace headroom {

const ModelFacts& find_model(const ClassifyBackend& backend, const std::string& name) {
  if (name.empty()) return backend.models().front();
  for (const ModelFacts& model : backend.models()) {
    if (model.name == name) return model;
  }
  throw HttpError(
      HttpErrorCode::not_found,
      fmt::format("model \"{}\" is not served here; GET /v1/models lists those that are", name));
}

}  // namespace headroom
