#include "experiments/budgeted/experiment.h"

#include <optional>
#include <utility>

#include "experiments/seed_run.h"
#include "model/slice.h"
#include "train/runtime.h"
#include "train/stages/importance.h"

namespace headroom {
namespace {

class BudgetedRun : public SeedRun {
 public:
  BudgetedRun(const Experiment& experiment, uint64_t seed, std::filesystem::path file,
              ProgressSink& progress)
      : SeedRun(experiment, seed, std::move(file), progress),
        soft_steps_(steps_for(experiment.recipe.soft_epochs, *source_)),
        hard_steps_(steps_for(experiment.recipe.hard_epochs, *source_)) {}

  Json run() {
    arm("budgeted", [&](Json& json) { budgeted(json, /*free_slopes=*/false); });
    arm("dense", [&](Json& json) { dense(json); });
    arm("recovery", [&](Json& json) { recovery(json); });
    arm("static", [&](Json& json) { static_gates(json); });
    arm("random-adapted", [&](Json& json) { random_adapted(json); });
    arm("scratch", [&](Json& json) { scratch(json); });
    arm("budgeted-free", [&](Json& json) { budgeted(json, /*free_slopes=*/true); });
    return results_;
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

  void budgeted(Json& json, bool free_slopes) {
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
    json["steps"] = warm_steps() + soft_steps_ + hard_steps_;
    json["warm_start"] = {{"steps", warm_steps_}, {"validation", warm_score_}};
    json["points"] = curve(model, experiment_.budgets, by_gates(model));
    json["gates"] = {{"offset", gates.offset}, {"slope", gates.slope}};
    json["nestedness"] = nestedness(gates, {0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875});
    json["mass"] = mass_curve(gates);
  }

  static Json mass_curve(const GateParameters& gates) {
    Json mass = Json::array();
    for (int i = 1; i < 20; ++i)
      mass.push_back({{"budget", 0.05 * i}, {"mass", gates.mass(0.05 * i)}});
    return mass;
  }

  // Before the hard stage: gates as they are (no time saved), and cut hard with gates of 1 or
  // folded.
  void score_soft_model(const ElasticModel& model) {
    const GateParameters gates = model.gates->parameters();
    Json soft = {{"points", Json::array()}, {"mass", mass_curve(gates)}};
    Json cut = {{"points", Json::array()}};
    Json folded = {{"points", Json::array()}};
    for (const double budget : experiment_.budgets) {
      const torch::NoGradGuard no_gradients;
      const Selection selection = select_heads(gates.order(budget), budget);
      const torch::Tensor values = model.gates->values(budget);
      Json at = point(shape_, budget, all_heads(shape_.layers, shape_.heads),
                      evaluate(model.weights, test_, model.evaluation(values)));
      at["gate_mass"] = gates.mass(budget);
      soft["points"].push_back(at);
      cut["points"].push_back(score(model, budget, selection));
      folded["points"].push_back(score(model, budget, selection, values));
    }
    results_["arms"]["soft"] = soft;
    results_["arms"]["soft-cut"] = cut;
    results_["arms"]["soft-folded"] = folded;
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

  void dense(Json& json) {
    ElasticModel model = copy_model(long_dense());
    std::vector<StagePlan> plans;
    plans.push_back(
        plan(dense_stage(recipe().stages, validation_), hard_steps_, recipe().hard_rate));
    train(model, std::move(plans), 4);
    json["steps"] = warm_steps() + soft_steps_ + hard_steps_;
    json["points"] = Json::array({score(model, 1.0, all_heads(shape_.layers, shape_.heads))});

    const HeadOrder ranked = rank_by_ablation(model, validation_);
    results_["arms"]["post-hoc"] = {
        {"points", curve(model, experiment_.budgets, by_order(ranked))}};
    const HeadOrder random = random_order(shape_.layers, shape_.heads, seed_);
    results_["arms"]["random"] = {{"points", curve(model, experiment_.budgets, by_order(random))}};
  }

  void recovery(Json& json) {
    const HeadOrder ranked = rank_by_ablation(long_dense(), validation_);
    json["points"] = Json::array();
    for (const double budget : experiment_.budgets) {
      if (budget >= 1.0) continue;  // nothing was removed, nothing to recover: the dense arm
      ElasticModel model = copy_model(long_dense());
      const Selection selection = select_heads(ranked, budget);
      std::vector<StagePlan> plans;
      plans.push_back(plan(masked_stage(recipe().stages, selection, validation_), hard_steps_,
                           recipe().hard_rate));
      train(model, std::move(plans), 5);
      json["points"].push_back(score(model, budget, selection));
    }
    json["steps_each"] = warm_steps() + soft_steps_ + hard_steps_;
  }

  void static_gates(Json& json) {
    json["points"] = Json::array();
    for (const double budget : experiment_.specialist_budgets) {
      StageSettings fixed = recipe().stages;
      fixed.fixed_budget = budget;
      ElasticModel model = copy_model(warm());
      model.gates = fresh_gates(shape_.layers, shape_.heads, false, seed_, device_);
      std::vector<StagePlan> plans;
      plans.push_back(plan(soft_stage(fixed, validation_), soft_steps_, recipe().soft_rate));
      plans.push_back(plan(hard_stage(fixed, validation_), hard_steps_, recipe().hard_rate));
      train(model, std::move(plans), 6);
      json["points"].push_back(score(model, budget, by_gates(model)(budget)));
    }
    json["steps_each"] = warm_steps() + soft_steps_ + hard_steps_;
  }

  void random_adapted(Json& json) {
    const HeadOrder order = random_order(shape_.layers, shape_.heads, seed_);
    ElasticModel model = copy_model(warm());
    std::vector<StagePlan> plans;
    plans.push_back(plan(ordered_stage(recipe().stages, order, validation_),
                         soft_steps_ + hard_steps_, recipe().soft_rate));
    train(model, std::move(plans), 7);
    json["steps"] = warm_steps() + soft_steps_ + hard_steps_;
    json["points"] = curve(model, experiment_.budgets, by_order(order));
  }

  void scratch(Json& json) {
    ElasticModel model = start_gated();
    std::vector<StagePlan> plans;
    plans.push_back(plan(soft_stage(recipe().stages, validation_), warm_steps() + soft_steps_,
                         recipe().dense_rate));
    plans.push_back(
        plan(hard_stage(recipe().stages, validation_), hard_steps_, recipe().hard_rate));
    train(model, std::move(plans), 8);
    json["steps"] = warm_steps() + soft_steps_ + hard_steps_;
    json["points"] = curve(model, experiment_.budgets, by_gates(model));
  }

  int64_t soft_steps_ = 0;
  int64_t hard_steps_ = 0;
  std::optional<ElasticModel> warm_;
  int64_t warm_steps_ = 0;
  double warm_score_ = 0;
  std::optional<ElasticModel> long_dense_;
};

}  // namespace

Json run_budgeted_seed(const Experiment& experiment, uint64_t seed,
                       const std::filesystem::path& file, ProgressSink& progress) {
  use_threads(experiment.threads);
  return BudgetedRun(experiment, seed, file, progress).run();
}

}  // namespace headroom
