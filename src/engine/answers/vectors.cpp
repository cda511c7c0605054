#include "engine/answers/vectors.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"

namespace headroom {

void normalise_vector(std::vector<float>& vector) {
  double squares = 0;
  for (const float x : vector) squares += static_cast<double>(x) * x;
  if (squares == 0) return;
  const double scale = 1 / std::sqrt(squares);
  for (float& x : vector) x = static_cast<float>(x * scale);
}

void check_dimensions(const ModelConfig& config, int64_t dimensions) {
  const int64_t most = config.shape.vector_width();
  if (dimensions >= 1 && dimensions <= most) return;
  throw Error(ErrorCode::usage, "embed",
              fmt::format("dimensions is {}, this model's vectors have 1 to {}", dimensions, most));
}

void shorten_vector(const ModelConfig& config, int64_t dimensions, std::vector<float>& vector) {
  check_dimensions(config, dimensions);
  if (dimensions == static_cast<int64_t>(vector.size())) return;
  vector.resize(static_cast<size_t>(dimensions));
  if (config.output.vector.normalize) normalise_vector(vector);
}

}  // namespace headroom
