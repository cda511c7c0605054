#include "train/recipe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "base/join.h"

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

Recipe open_recipe(Recipe recipe) {
  recipe = fine_tuning_recipe(recipe);
  recipe.dense_epochs = recipe.nested_epochs = left_open;
  recipe.dense_rate = recipe.soft_rate = recipe.hard_rate = left_open;
  recipe.nested_rate = recipe.adaptive_rate = left_open;
  return recipe;
}

Recipe decided(Recipe recipe, int64_t steps_per_epoch, const ModelShape& shape, Task task) {
  const auto choose = [](double& value, double chosen) {
    if (value == left_open) value = chosen;
  };
  const auto steps = static_cast<double>(2000 + 40 * shape.labels);
  const double passes =
      std::clamp(std::round(steps / static_cast<double>(steps_per_epoch)), 3.0, 40.0);
  choose(recipe.dense_epochs, passes);
  // Taggers were still gaining after twice the dense stage: docs/results/outputs.md.
  const double nested = task == Task::tag ? passes * 2 : std::round(passes * 2 / 3);
  choose(recipe.nested_epochs, std::max(4.0, nested));

  // The rates of fine_tuning_recipe() suit 4 x 256; larger models learn with less, as they do in
  // pretraining.
  const double size = static_cast<double>(shape.layers * shape.width) / (4 * 256);
  const double scale = std::min(1.0, 1 / std::sqrt(size));
  const Recipe small = fine_tuning_recipe(recipe);
  for (double Recipe::*rate : {&Recipe::dense_rate, &Recipe::soft_rate, &Recipe::hard_rate,
                               &Recipe::nested_rate, &Recipe::adaptive_rate}) {
    choose(recipe.*rate, small.*rate * scale);
  }
  return recipe;
}

std::string describe(const Recipe& recipe, Method method) {
  std::vector<std::string> parts;
  const auto stage = [&](const char* name, double epochs, double rate) {
    parts.push_back(
        fmt::format("{} {} epoch{} at {:.3g}", name, epochs, epochs == 1 ? "" : "s", rate));
  };
  if (recipe.dense_epochs > 0) stage("dense", recipe.dense_epochs, recipe.dense_rate);
  if (method == Method::adaptive) {
    stage("adaptive", recipe.adaptive_epochs, recipe.adaptive_rate);
  } else if (method == Method::nested) {
    stage("nested", recipe.nested_epochs, recipe.nested_rate);
  } else if (method != Method::dense) {
    stage("soft", recipe.soft_epochs, recipe.soft_rate);
    stage("hard", recipe.hard_epochs, recipe.hard_rate);
  }
  parts.push_back(fmt::format("batch {}, dropout {}, weight decay {}", recipe.batch_size,
                              recipe.dropout, recipe.weight_decay));
  return join(parts, "; ");
}

StageSettings stage_settings(const Recipe& recipe, Method method) {
  StageSettings settings = recipe.stages;
  if (method == Method::nested) {
    const auto outside = [](double budget) { return !(budget > 0 && budget <= 1); };
    if (settings.anchors.empty() ||
        std::any_of(settings.anchors.begin(), settings.anchors.end(), outside)) {
      throw Error(ErrorCode::usage, "train", "--anchor-budgets needs budgets above 0, at most 1");
    }
    settings.budget_low = *std::min_element(settings.anchors.begin(), settings.anchors.end());
    std::set<double> grid = {0.25, 0.5, 0.75, 1.0};
    grid.insert(settings.anchors.begin(), settings.anchors.end());
    settings.budget_grid = {grid.lower_bound(settings.budget_low), grid.end()};
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
