// How a method is trained: lengths, rates and weights of its stages, with their defaults.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "train/stages/adaptive_settings.h"

namespace headroom {
inline namespace train {

// What the losses of the stages weigh; see train/stages.h for the stages themselves.
struct StageSettings {
  double label_smoothing = 0.0;
  double mass_weight = 0.01;      // on the mean gate
  double overshoot_weight = 5.0;  // on exceeding the requested budget, squared
  double distill_weight = 0.5;    // share of the loss that follows the teacher
  double temperature = 2.0;
  std::vector<double> anchors = {
      0.125};               // nested: budgets of every step, beside 1 and a random one
  double budget_low = 0.1;  // budgets are drawn from [low, 1] ...
  std::vector<double> budget_grid = {0.25, 0.5, 0.75, 1.0};  // ... or, half the time, from these
  std::optional<double> fixed_budget;                        // static gates: always this one
};

// What a budget governs.
enum class Scope { heads, heads_and_ffn };
inline constexpr auto scope_table =
    enum_table<Scope>("scope", {{Scope::heads, "heads"}, {Scope::heads_and_ffn, "heads+ffn"}});
constexpr const auto& table_of(Scope) {
  return scope_table;
}

// How a nested model spreads a budget over its layers.
enum class Allocation { uniform, ranked, depth, searched };
inline constexpr auto allocation_table =
    enum_table<Allocation>("allocation", {{Allocation::uniform, "uniform"},
                                          {Allocation::ranked, "ranked"},
                                          {Allocation::depth, "depth"},
                                          {Allocation::searched, "searched"}});
constexpr const auto& table_of(Allocation) {
  return allocation_table;
}

struct NestedSettings {
  Scope scope = Scope::heads_and_ffn;
  Allocation allocation = Allocation::uniform;
  int64_t group_width = 0;  // FFN neurons that come alive together; 0: default_group_width()
};

// A length or a rate that is chosen when the rows and the start are known: decided().
inline constexpr double left_open = -1;

struct Recipe {
  int batch_size = 32;
  double dense_epochs = 3;
  double soft_epochs = 3;
  double hard_epochs = 1;
  double nested_epochs = 4;
  double adaptive_epochs = 4;
  double dense_rate = 5e-4;
  double soft_rate = 3e-4;
  double hard_rate = 1e-4;
  double nested_rate = 2e-4;
  double adaptive_rate = 3e-4;
  double warmup = 0.06;       // share of a stage's steps
  bool until_solved = false;  // the dense stage ends when validation reaches `solved`
  double solved = 0.999;
  int64_t validate_every = 0;  // steps; 0: twice an epoch
  int64_t patience = 0;        // validations without improvement before a stage ends; 0: never
  double dropout = 0.3;        // of 0.1 and 0.3 the better on AG News validation rows, from scratch
  double weight_decay = 0.01;
  double clip_norm = 1.0;
  double gate_rate_factor = 10.0;
  double controller_rate_factor = 10.0;
  bool free_slopes = false;
  bool bf16 = false;  // on a GPU: matrix products in bf16, weights and sums in fp32
  StageSettings stages;
  NestedSettings nested;
  AdaptiveSettings adaptive;
};

// Defaults that suit the task; the synthetic one draws fresh rows and trains until solved.
Recipe default_recipe(Task task);

// What changes when training starts from pretrained weights: smaller rates, less dropout.
Recipe fine_tuning_recipe(Recipe recipe);

// The same with the rates, and the lengths of the dense and nested stages, left open.
Recipe open_recipe(Recipe recipe);

// What was left open, chosen: small sets and many labels need more passes, large models smaller
// steps. `shape` is the model's, labels included.
Recipe decided(Recipe recipe, int64_t steps_per_epoch, const ModelShape& shape, Task task);

// In a line, for people: the stages of a method, batch and regularisation.
std::string describe(const Recipe& recipe, Method method);

// The stage settings of a method; a nested model has its own budgets and teacher's share.
StageSettings stage_settings(const Recipe& recipe, Method method);
ModelShape default_shape(Task task);

// Throws ErrorCode::usage with `operation` unless every size is positive and the heads divide the
// width.
void check_shape(const ModelShape& shape, const char* operation);

}  // namespace train
}  // namespace headroom
