#include "experiments/variants/kind_budgets.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "budget/cost.h"
#include "experiments/seed_run.h"
#include "model/slice.h"
#include "train/runtime.h"

namespace headroom::experiments::variants {
namespace {

constexpr double standard_share = 0.25;  // of Standard's heads: what all arms may cost

class KindBudgetsRun : public SeedRun {
 public:
  KindBudgetsRun(const Experiment& experiment, uint64_t seed, const std::filesystem::path& file,
                 ProgressSink& progress)
      : SeedRun(experiment, seed, file, progress) {}

  Record run() {
    for (const AttentionKind kind : all_attention_kinds) {
      const std::string name(attention_name(kind));
      shape_.attention = AttentionKind::standard;
      const int64_t heads = affordable_heads(kind);
      shape_.attention = kind;
      arm(name + "-none", [&](ArmRecord& made) { without_budget(made, heads); });
      arm(name + "-budgeted", [&](ArmRecord& made) { with_gates(made, heads, recipe().stages); });
      arm(name + "-static", [&](ArmRecord& made) {
        StageSettings stages = recipe().stages;
        stages.fixed_budget = share_of(heads);
        with_gates(made, heads, stages);
      });
    }
    return record_;
  }

 private:
  double share_of(int64_t heads) const {
    return static_cast<double>(heads) / static_cast<double>(shape_.total_heads());
  }

  Cost dense_cost(AttentionKind kind) const {
    ModelShape shape = shape_;
    shape.attention = kind;
    std::vector<int64_t> lengths;
    for (const int32_t length : data_.test.lengths()) lengths.push_back(length);
    return mean_cost(shape, all_heads(shape.layers, shape.heads), lengths);
  }

  // Costs are linear in the number of heads.
  int64_t affordable_heads(AttentionKind kind) const {
    const double allowed = standard_share * dense_cost(AttentionKind::standard).attention_macs;
    const double fraction = allowed / dense_cost(kind).attention_macs;
    const auto heads = std::llround(fraction * static_cast<double>(shape_.total_heads()));
    return std::clamp<int64_t>(heads, shape_.layers, shape_.total_heads());
  }

  // The first heads of every layer, as evenly as they go.
  Selection even_heads(int64_t heads) const {
    Selection selection = all_heads(shape_.layers, shape_.heads);
    for (int64_t layer = 0; layer < shape_.layers; ++layer) {
      const int64_t more = layer < heads % shape_.layers ? 1 : 0;
      selection.kept[static_cast<size_t>(layer)].resize(
          static_cast<size_t>(heads / shape_.layers + more));
    }
    return selection;
  }

  int64_t steps_of(double epochs) const { return steps_for(epochs, *source_); }

  void without_budget(ArmRecord& arm, int64_t heads) {
    const Selection selection = even_heads(heads);
    ElasticModel model = start();
    model.weights = slice_model(model.weights, selection);
    const int64_t steps = steps_of(recipe().dense_epochs) + steps_of(recipe().soft_epochs) +
                          steps_of(recipe().hard_epochs);
    train(model, plan(dense_stage(recipe().stages, validation_), steps, recipe().dense_rate), 0);
    arm.steps = steps;
    arm.heads = heads;
    arm.points = {point(model.shape, share_of(heads), selection,
                        evaluate(model.weights, test_, model.evaluation()))};
  }

  void with_gates(ArmRecord& arm, int64_t heads, const StageSettings& stages) {
    const double budget = share_of(heads);
    ElasticModel model = start();
    model.gates = fresh_gates(shape_.layers, shape_.heads, /*free_slopes=*/false, seed_, device_);
    std::vector<StagePlan> plans;
    plans.push_back(plan(dense_stage(stages, validation_), steps_of(recipe().dense_epochs),
                         recipe().dense_rate));
    plans.push_back(
        plan(soft_stage(stages, validation_), steps_of(recipe().soft_epochs), recipe().soft_rate));
    plans.push_back(
        plan(hard_stage(stages, validation_), steps_of(recipe().hard_epochs), recipe().hard_rate));
    const TrainingResult result = train(model, std::move(plans), 0);
    const Selection selection = select_heads(model.gates->parameters().order(budget), budget);
    arm.steps = result.steps;
    arm.heads = selection.total();
    arm.points = {score(model, budget, selection)};
  }
};

}  // namespace

Record run_kind_budgets_seed(const Experiment& experiment, uint64_t seed,
                             const std::filesystem::path& file, ProgressSink& progress) {
  use_threads(experiment.threads);
  return KindBudgetsRun(experiment, seed, file, progress).run();
}

}  // namespace headroom::experiments::variants
