#include "experiments/budgeted/experiment.h"

#include <optional>
#include <utility>

#include "experiments/seed_run.h"
#include "model/slice.h"
#include "train/runtime.h"
#include "train/stages/importance.h"

namespace headroom::experiments::budgeted {
namespace {

class BudgetedRun : public SeedRun {
 public:
  BudgetedRun(const Experiment& experiment, uint64_t seed, std::filesystem::path file,
              ProgressSink& progress)
      : SeedRun(experiment, seed, std::move(file), progress),
        soft_steps_(steps_for(experiment.recipe.soft_epochs, *source_)),
        hard_steps_(steps_for(experiment.recipe.hard_epochs, *source_)) {}

  Record run() {
    arm("budgeted", [&](ArmRecord& made) { budgeted(made, /*free_slopes=*/false); });
    arm("dense", [&](ArmRecord& made) { dense(made); });
    arm("recovery", [&](ArmRecord& made) { recovery(made); });
    arm("static", [&](ArmRecord& made) { static_gates(made); });
    arm("random-adapted", [&](ArmRecord& made) { random_adapted(made); });
    arm("scratch", [&](ArmRecord& made) { scratch(made); });
    arm("budgeted-free", [&](ArmRecord& made) { budgeted(made, /*free_slopes=*/true); });
    return record_;
  }

 private:
  ElasticModel start_gated() const {
    ElasticModel model = start();
    model.gates = fresh_gates(shape_.layers, shape_.heads, /*free_slopes=*/false, seed_, device_);
    return model;
  }

  // The dense model that all warm-started arms begin from, and how many steps it took.
  const ElasticModel& warm() {
    if (!warm_) {
      ElasticModel model = start_gated();
      std::vector<StagePlan> plans =
          plan_method(Method::dense, experiment_.recipe, *source_, validation_);
      const TrainingResult result = train(model, std::move(plans), 0);
      warm_steps_ = result.steps;
      warm_score_ = result.stages[0].best_score;
      warm_ = copy_model(model);
    }
    return *warm_;
  }

  int64_t warm_steps() {
    warm();
    return warm_steps_;
  }

  static Select by_gates(const ElasticModel& model) {
    return [gates = model.gates->parameters()](double budget) {
      return select_heads(gates.order(budget), budget);
    };
  }

  static Select by_order(const HeadOrder& order) {
    return [order](double budget) { return select_heads(order, budget); };
  }

  void budgeted(ArmRecord& arm, bool free_slopes) {
    ElasticModel model = copy_model(warm());
    model.gates = fresh_gates(shape_.layers, shape_.heads, free_slopes, seed_, device_);
    std::vector<StagePlan> soft;
    soft.push_back(plan(soft_stage(recipe().stages, validation_), soft_steps_, recipe().soft_rate));
    train(model, std::move(soft), 1);
    if (!free_slopes) score_soft_model(model);
    std::vector<StagePlan> hard;
    hard.push_back(plan(hard_stage(recipe().stages, validation_), hard_steps_, recipe().hard_rate));
    train(model, std::move(hard), 2);

    const GateParameters gates = model.gates->parameters();
    arm.steps = warm_steps() + soft_steps_ + hard_steps_;
    arm.warm_start = {warm_steps_, warm_score_};
    arm.points = curve(model, experiment_.budgets, by_gates(model));
    arm.gates = {gates.offset, gates.slope};
    arm.nestedness = nestedness(gates, {0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875});
    arm.mass = mass_curve(gates);
  }

  static std::vector<MassPoint> mass_curve(const GateParameters& gates) {
    std::vector<MassPoint> mass;
    for (int i = 1; i < 20; ++i) mass.push_back({0.05 * i, gates.mass(0.05 * i)});
    return mass;
  }

  // Before the hard stage: gates as they are (no time saved), and cut hard with gates of 1 or
  // folded.
  void score_soft_model(const ElasticModel& model) {
    const GateParameters gates = model.gates->parameters();
    ArmRecord soft;
    ArmRecord cut;
    ArmRecord folded;
    soft.mass = mass_curve(gates);
    for (const double budget : experiment_.budgets) {
      const torch::NoGradGuard no_gradients;
      const Selection selection = select_heads(gates.order(budget), budget);
      const torch::Tensor values = model.gates->values(budget);
      Point at = point(shape_, budget, all_heads(shape_.layers, shape_.heads),
                       evaluate(model.weights, test_, model.evaluation(values)));
      at.gate_mass = gates.mass(budget);
      soft.points.push_back(at);
      cut.points.push_back(score(model, budget, selection));
      folded.points.push_back(score(model, budget, selection, values));
    }
    record_.arm("soft") = soft;
    record_.arm("soft-cut") = cut;
    record_.arm("soft-folded") = folded;
  }

  // Dense for A + B steps: the start of the dense, post-hoc and recovery arms.
  const ElasticModel& long_dense() {
    if (!long_dense_) {
      ElasticModel model = start_gated();
      std::vector<StagePlan> plans;
      plans.push_back(plan(dense_stage(recipe().stages, validation_), warm_steps() + soft_steps_,
                           recipe().dense_rate));
      train(model, std::move(plans), 3);
      long_dense_ = copy_model(model);
    }
    return *long_dense_;
  }

  void dense(ArmRecord& arm) {
    ElasticModel model = copy_model(long_dense());
    std::vector<StagePlan> plans;
    plans.push_back(
        plan(dense_stage(recipe().stages, validation_), hard_steps_, recipe().hard_rate));
    train(model, std::move(plans), 4);
    arm.steps = warm_steps() + soft_steps_ + hard_steps_;
    arm.points = {score(model, 1.0, all_heads(shape_.layers, shape_.heads))};

    const HeadOrder ranked = rank_by_ablation(model, validation_);
    record_.arm("post-hoc").points = curve(model, experiment_.budgets, by_order(ranked));
    const HeadOrder random = random_order(shape_.layers, shape_.heads, seed_);
    record_.arm("random").points = curve(model, experiment_.budgets, by_order(random));
  }

  void recovery(ArmRecord& arm) {
    const HeadOrder ranked = rank_by_ablation(long_dense(), validation_);
    for (const double budget : experiment_.budgets) {
      if (budget >= 1.0) continue;  // nothing was removed, nothing to recover: the dense arm
      ElasticModel model = copy_model(long_dense());
      const Selection selection = select_heads(ranked, budget);
      std::vector<StagePlan> plans;
      plans.push_back(plan(masked_stage(recipe().stages, selection, validation_), hard_steps_,
                           recipe().hard_rate));
      train(model, std::move(plans), 5);
      arm.points.push_back(score(model, budget, selection));
    }
    arm.steps_each = warm_steps() + soft_steps_ + hard_steps_;
  }

  void static_gates(ArmRecord& arm) {
    for (const double budget : experiment_.specialist_budgets) {
      StageSettings fixed = recipe().stages;
      fixed.fixed_budget = budget;
      ElasticModel model = copy_model(warm());
      model.gates = fresh_gates(shape_.layers, shape_.heads, false, seed_, device_);
      std::vector<StagePlan> plans;
      plans.push_back(plan(soft_stage(fixed, validation_), soft_steps_, recipe().soft_rate));
      plans.push_back(plan(hard_stage(fixed, validation_), hard_steps_, recipe().hard_rate));
      train(model, std::move(plans), 6);
      arm.points.push_back(score(model, budget, by_gates(model)(budget)));
    }
    arm.steps_each = warm_steps() + soft_steps_ + hard_steps_;
  }

  void random_adapted(ArmRecord& arm) {
    const HeadOrder order = random_order(shape_.layers, shape_.heads, seed_);
    ElasticModel model = copy_model(warm());
    std::vector<StagePlan> plans;
    plans.push_back(plan(ordered_stage(recipe().stages, order, validation_),
                         soft_steps_ + hard_steps_, recipe().soft_rate));
    train(model, std::move(plans), 7);
    arm.steps = warm_steps() + soft_steps_ + hard_steps_;
    arm.points = curve(model, experiment_.budgets, by_order(order));
  }

  void scratch(ArmRecord& arm) {
    ElasticModel model = start_gated();
    std::vector<StagePlan> plans;
    plans.push_back(plan(soft_stage(recipe().stages, validation_), warm_steps() + soft_steps_,
                         recipe().dense_rate));
    plans.push_back(
        plan(hard_stage(recipe().stages, validation_), hard_steps_, recipe().hard_rate));
    train(model, std::move(plans), 8);
    arm.steps = warm_steps() + soft_steps_ + hard_steps_;
    arm.points = curve(model, experiment_.budgets, by_gates(model));
  }

  int64_t soft_steps_ = 0;
  int64_t hard_steps_ = 0;
  std::optional<ElasticModel> warm_;
  int64_t warm_steps_ = 0;
  double warm_score_ = 0;
  std::optional<ElasticModel> long_dense_;
};

}  // namespace

Record run_seed(const Experiment& experiment, uint64_t seed, const std::filesystem::path& file,
                ProgressSink& progress) {
  use_threads(experiment.threads);
  return BudgetedRun(experiment, seed, file, progress).run();
}

}  // namespace headroom::experiments::budgeted
