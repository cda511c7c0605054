#include "train/recipe.h"

#include <fmt/format.h>

#include "base/error.h"

namespace headroom {
inline namespace train {

Recipe fine_tuning_recipe(Recipe recipe) {
  recipe.dense_rate = 2e-4;
  recipe.soft_rate = 2e-4;
  recipe.hard_rate = 1e-4;
  recipe.nested_rate = 2e-4;
  recipe.adaptive_rate = 2e-4;
  recipe.dropout = 0.1;
  return recipe;
}

StageSettings stage_settings(const Recipe& recipe, Method method) {
  StageSettings settings = recipe.stages;
  if (method == Method::nested) {
    settings.budget_low = 0.125;
    settings.budget_grid = {0.125, 0.25, 0.5, 0.75, 1.0};
  }
  return settings;
}

void check_shape(const ModelShape& shape, const char* operation) {
  if (shape.layers < 1 || shape.heads < 1 || shape.ffn < 1 || shape.width < 1 ||
      shape.width % shape.heads != 0) {
    throw Error(ErrorCode::usage, operation,
                fmt::format("--width {} must be a positive multiple of --heads {}", shape.width,
                            shape.heads));
  }
}

}  // namespace train
}  // namespace headroom
