#include "experiments/variants/kind_budgets.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "budget/cost.h"
#include "experiments/adaptive/choice_analysis.h"
#include "experiments/seed_run.h"
#include "model/slice.h"
#include "train/evaluate/choice.h"
#include "train/runtime.h"
#include "train/stages/adaptive.h"

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
      arm(name + "-adaptive", [&](ArmRecord& made) { with_choice(made, start_choosing(), kind); });
      arm(name + "-capped", [&](ArmRecord& made) {
        ElasticModel model = start_choosing();
        model.gates = fresh_gates(shape_.layers, shape_.heads, false, seed_, device_);
        with_choice(made, std::move(model), kind);
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

  // Costs are linear in the number of heads. `beside` is what else is paid of the allowance.
  double affordable_share(AttentionKind kind, double beside = 0) const {
    const double allowed = standard_share * dense_cost(AttentionKind::standard).attention_macs;
    return (allowed - beside) / dense_cost(kind).attention_macs;
  }

  int64_t affordable_heads(AttentionKind kind) const {
    const auto heads = std::llround(affordable_share(kind) * static_cast<double>(total_heads()));
    return std::clamp<int64_t>(heads, shape_.layers, total_heads());
  }

  int64_t total_heads() const { return shape_.total_heads(); }

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

  // MACs of the controllers of all layers.
  double controller_cost(const ModelShape& shape) const {
    double sum = 0;
    const std::vector<int32_t> lengths = data_.test.lengths();
    for (const int32_t length : lengths) {
      sum += static_cast<double>(shape.layers) * controller_macs(shape, length);
    }
    return sum / static_cast<double>(lengths.size());
  }

  ElasticModel start_choosing() {
    shape_.controller = std::max<int64_t>(1, shape_.width / 4);
    ElasticModel model = start();
    shape_.controller = 0;
    model.relevance_temperature = recipe().adaptive.temperature.last;
    set_initial_share(model.weights, recipe().adaptive.initial_share);
    return model;
  }

  // Dense first, as for gates, then the adaptive stage for as long as theirs take together.
  int64_t train_choice(ElasticModel& model, const AdaptiveSettings& settings) {
    std::vector<StagePlan> plans;
    plans.push_back(plan(dense_stage(recipe().stages, validation_), steps_of(recipe().dense_epochs),
                         recipe().dense_rate));
    plans.push_back(plan(adaptive_stage(recipe().stages, settings, validation_),
                         steps_of(recipe().soft_epochs) + steps_of(recipe().hard_epochs),
                         recipe().soft_rate));
    plans.back().keep_best = false;  // an earlier model had not yet paid for its heads
    return train(model, std::move(plans), 0).steps;
  }

  // Moves what every controller asks for until validation rows run `share` of all heads.
  void match_heads(ElasticModel& model, double share, const ChoiceOptions& options) const {
    const torch::NoGradGuard no_gradients;
    std::vector<torch::Tensor> trained;
    for (const LayerWeights& layer : model.weights.layers) {
      trained.push_back(layer.controller->budget.bias.clone());
    }
    double low = -8;  // of a logit: almost no head, almost all
    double high = 8;
    for (int halving = 0; halving < 16; ++halving) {
      const double middle = (low + high) / 2;
      for (size_t i = 0; i < trained.size(); ++i) {
        model.weights.layers[i].controller->budget.bias.copy_(trained[i] + middle);
      }
      const torch::Tensor ran = evaluate_choice(model, validation_, options).heads;
      const double mean = ran.to(torch::kFloat64).mean().item<double>();
      (mean > share * static_cast<double>(shape_.heads) ? high : low) = middle;
    }
  }

  void with_choice(ArmRecord& arm, ElasticModel model, AttentionKind kind) {
    const double share = affordable_share(kind, controller_cost(model.shape));
    const double most = std::min(1.0, share * 3 / 2);
    AdaptiveSettings settings = recipe().adaptive;
    settings.share_low = share / 2;
    settings.share_high = model.gates ? 1.0 : most;  // with gates, larger budgets are drawn, too
    settings.gates = model.gates.has_value();
    arm.steps = train_choice(model, settings);
    ChoiceOptions options;
    if (model.gates) options.budget = most;
    match_heads(model, share, options);
    const ChoiceEvaluation result = evaluate_choice(model, test_, options);
    arm.points = {adaptive::choice_point(model.shape, options.budget, result)};
    arm.points.front().correct = correct_rows(result.total);
  }
};

}  // namespace

Record run_kind_budgets_seed(const Experiment& experiment, uint64_t seed,
                             const std::filesystem::path& file, ProgressSink& progress) {
  use_threads(experiment.threads);
  return KindBudgetsRun(experiment, seed, file, progress).run();
}

}  // namespace headroom::experiments::variants
