#include "train/recipe.h"

#include <fmt/format.h>

#include "base/error.h"

namespace headroom::inline train {

Recipe default_recipe(Task task) {
  Recipe recipe;
  if (task == Task::synthetic) {
    recipe.batch_size = 64;
    recipe.dense_rate = 5e-4;
    recipe.soft_rate = 5e-4;
    recipe.hard_rate = 3e-4;
    recipe.dense_epochs = 20;  // an upper bound: the stage ends when validation says solved
    recipe.soft_epochs = 1;
    recipe.hard_epochs = 2;
    recipe.until_solved = true;
    recipe.validate_every = 50;
    recipe.dropout = 0.0;
  }
  if (task == Task::image) {
    recipe.batch_size = 128;
    recipe.dense_rate = 1e-3;
    recipe.soft_rate = 5e-4;
    recipe.dense_epochs = 20;
    recipe.soft_epochs = 5;
    recipe.dropout = 0.1;
  }
  if (task == Task::lm) {  // an epoch has few rows: the text once, cut into long ones
    recipe.batch_size = 64;
    recipe.dense_rate = 1e-3;
    recipe.soft_rate = 5e-4;
    recipe.dense_epochs = 40;
    recipe.soft_epochs = 10;
    recipe.hard_epochs = 4;
    recipe.dropout = 0.2;
    recipe.weight_decay = 0.1;
  }
  if (task == Task::translate) {
    recipe.batch_size = 128;
    recipe.dense_rate = 1e-3;
    recipe.dense_epochs = 20;
    recipe.stages.label_smoothing = 0.1;
  }
  return recipe;
}

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

ModelShape default_shape(Task task) {
  ModelShape shape;
  if (task == Task::synthetic) {
    shape.layers = 2;  // one to mark "after the marker", one to fetch what is marked
    shape.width = 64;
    shape.heads = 4;
    shape.ffn = 128;
  }
  if (task == Task::image) {
    shape.width = 128;
    shape.heads = 4;
    shape.ffn = 256;
  }
  if (task == Task::lm) {  // 1.8 M parameters with 70 characters and 256 tokens
    shape.width = 192;
    shape.heads = 6;
    shape.ffn = 768;
  }
  if (task == Task::translate) {
    shape.layers = 3;
    shape.decoder_layers = 3;
    shape.ffn = 512;
  }
  return shape;
}

void check_shape(const ModelShape& shape, const char* operation) {
  if (shape.layers < 1 || shape.heads < 1 || shape.ffn < 1 || shape.width < 1 ||
      shape.width % shape.heads != 0) {
    throw Error(ErrorCode::usage, operation,
                fmt::format("--width {} must be a positive multiple of --heads {}", shape.width,
                            shape.heads));
  }
}

}  // namespace headroom::inline train
