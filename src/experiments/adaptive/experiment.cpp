#include "experiments/adaptive/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "checkpoint/checkpoint.h"
#include "experiments/adaptive/choice_analysis.h"
#include "experiments/seed_run.h"
#include "model/weights_io.h"
#include "train/checkpoint_model.h"
#include "train/fine_tuning.h"
#include "train/runtime.h"
#include "train/stages/adaptive.h"
#include "train/stages/importance.h"

namespace headroom::experiments::adaptive {
namespace {

constexpr double caps[] = {0.5, 0.375, 0.25, 0.125};
constexpr double overriding_shares[] = {0.1, 0.25, 0.5, 1.0};
constexpr double other_share_weights[] = {0.01, 0.2};
constexpr double head_dropout = 0.2;

// A trained model, the rate that validated best and how.
struct Tuned {
  ElasticModel model;
  double rate = 0;
  double validation = -1;
  std::string log;
};

class AdaptiveRun : public SeedRun {
 public:
  AdaptiveRun(const Experiment& experiment, uint64_t seed, const std::filesystem::path& file,
              ProgressSink& progress)
      : SeedRun(experiment, seed, file, progress),
        steps_(steps_for(experiment.recipe.dense_epochs, *source_)),
        checkpoints_(file.parent_path()) {
    record_.steps = steps_;
    record_.labels = data_.labels;
  }

  Record run() {
    arm("dense", [&](ArmRecord& made) { dense(made); });
    arm("adaptive", [&](ArmRecord& made) { adaptive(made); });
    arm("static", [&](ArmRecord& made) { static_heads(made); });
    arm("fixed-share", [&](ArmRecord& made) { fixed_share(made, matched_share()); });
    arm("random-heads", [&](ArmRecord& made) { random_heads(made); });
    arm("fixed-share-matched", [&](ArmRecord& made) { matched(made, /*random_heads=*/false); });
    arm("random-heads-matched", [&](ArmRecord& made) { matched(made, /*random_heads=*/true); });
    arm("adaptive-warm", [&](ArmRecord& made) { adaptive_warm(made); });
    arm("constant-tau", [&](ArmRecord& made) { constant_tau(made); });
    for (const double weight : other_share_weights) {
      arm(fmt::format("share-weight-{}", weight),
          [&](ArmRecord& made) { share_weight(made, weight); });
    }
    for (const int64_t heads : {1, 2, 4}) {
      arm(fmt::format("heads-{}", heads), [&](ArmRecord& made) { dense_of(made, heads); });
    }
    arm("head-dropout", [&](ArmRecord& made) { dropped_heads(made); });
    arm("rows-25", [&](ArmRecord& made) { fewer_rows(made, 0.25); });
    arm("rows-50", [&](ArmRecord& made) { fewer_rows(made, 0.5); });
    arm("small", [&](ArmRecord& made) { small(made); });
    arm("fixed-all", [&](ArmRecord& made) { fixed_share(made, 1.0); });
    return record_;
  }

 private:
  // The rate that a tuned arm chose; the first of the grid where that arm was not run.
  double rate_of(const char* name) const {
    const ArmRecord* tuned = record_.find(name);
    return tuned != nullptr && tuned->rate ? *tuned->rate : experiment_.rates.front();
  }

  // Trains from `start` at every rate of the grid and keeps what validates best.
  template <typename MakePlan, typename Validate>
  Tuned tune(const ElasticModel& start, const std::vector<double>& rates, uint64_t salt,
             const MakePlan& make_plan, const Validate& validate) {
    Tuned best;
    for (const double rate : rates) {
      ElasticModel model = copy_model(start);
      const TrainingResult result = train(model, make_plan(rate), salt);
      const double validation = validate(model);
      if (validation <= best.validation) continue;
      best = {copy_model(model), rate, validation, result.log};
    }
    return best;
  }

  Tuned tune_dense(const ElasticModel& start, const std::vector<double>& rates, uint64_t salt) {
    return tune(
        start, rates, salt,
        [&](double rate) { return plan(dense_stage(recipe().stages, validation_), steps_, rate); },
        [&](const ElasticModel& model) {
          return evaluate(model.weights, validation_, model.evaluation()).accuracy;
        });
  }

  Tuned tune_adaptive(const ElasticModel& start, const AdaptiveSettings& settings,
                      const std::vector<double>& rates, uint64_t salt) {
    return tune(
        start, rates, salt, [&](double rate) { return adaptive_plan(settings, steps_, rate); },
        [&](const ElasticModel& model) {
          return evaluate_choice(model, validation_, options_of(settings)).total.accuracy;
        });
  }

  StagePlan adaptive_plan(const AdaptiveSettings& settings, int64_t steps, double rate) const {
    StagePlan stage = plan(adaptive_stage(recipe().stages, settings, validation_), steps, rate);
    stage.keep_best = false;
    return stage;
  }

  static ChoiceOptions options_of(const AdaptiveSettings& settings) {
    ChoiceOptions options;
    options.override = {settings.fixed_share, settings.random_heads, settings.heads_per_layer};
    return options;
  }

  ElasticModel start_of(const ModelShape& shape) const {
    ElasticModel model;
    model.shape = shape;
    model.dropout = recipe().dropout;
    model.weights = fresh_weights(shape, seed_, device_);
    if (!experiment_.init.empty()) start_from(experiment_.init, data_.labels, model);
    return model;
  }

  ElasticModel adaptive_start(ModelShape shape) const {
    shape.controller = std::max<int64_t>(1, shape.width / 4);
    ElasticModel model = start_of(shape);
    model.relevance_temperature = recipe().adaptive.temperature.last;
    set_initial_share(model.weights, recipe().adaptive.initial_share);
    return model;
  }

  // Test rows are read here, once for every arm.
  ChoiceEvaluation add_choice(ArmRecord& arm, const Tuned& tuned,
                              const AdaptiveSettings& settings) {
    torch::manual_seed(seed_);  // of heads at random
    const ChoiceEvaluation result = evaluate_choice(tuned.model, test_, options_of(settings));
    arm.steps = steps_;
    arm.rate = tuned.rate;
    arm.validation = {{.budget = 1, .accuracy = tuned.validation}};
    arm.points = {choice_point(tuned.model.shape, 1.0, result)};
    arm.points.front().correct = correct_rows(result.total);
    arm.curve = validation_curve_of(tuned.log);
    return result;
  }

  // The same model at budgets that cap its choice.
  void add_caps(ArmRecord& arm, const ElasticModel& model) {
    for (const double cap : caps) {
      ChoiceOptions options;
      options.budget = cap;
      arm.points.push_back(choice_point(model.shape, cap, evaluate_choice(model, test_, options)));
    }
  }

  void add_dense(ArmRecord& arm, const Tuned& tuned) {
    const Selection all = all_heads(tuned.model.shape.layers, tuned.model.shape.heads);
    arm.steps = steps_;
    arm.rate = tuned.rate;
    arm.validation = {{.budget = 1, .accuracy = tuned.validation}};
    arm.points = {score(tuned.model, 1.0, all)};
    arm.curve = validation_curve_of(tuned.log);
  }

  void dense(ArmRecord& arm) {
    const Tuned tuned = tune_dense(start_of(shape_), experiment_.rates, 1);
    dense_ = copy_model(tuned.model);
    add_dense(arm, tuned);
  }

  // What difficulty is measured by: trained apart from every adaptive model.
  const ElasticModel& dense_model() {
    if (!dense_) dense_ = tune_dense(start_of(shape_), experiment_.rates, 1).model;
    return *dense_;
  }

  torch::Tensor dense_losses() {
    const ElasticModel& model = dense_model();  // before the next line: it may have to be trained
    const torch::InferenceMode inference;
    std::vector<torch::Tensor> losses;
    for (const Batch& batch : test_) {
      losses.push_back(torch::cross_entropy_loss(forward(model.weights, batch, model.evaluation()),
                                                 batch.labels, {}, torch::Reduction::None));
    }
    return torch::cat(losses).to(torch::kCPU);
  }

  void adaptive(ArmRecord& arm) {
    const AdaptiveSettings& settings = recipe().adaptive;
    const Tuned tuned = tune_adaptive(adaptive_start(shape_), settings, experiment_.rates, 2);
    const ChoiceEvaluation result = add_choice(arm, tuned, settings);
    add_caps(arm, tuned.model);
    analyse(arm, tuned.model, result);
    arm.overrides = overrides(tuned.model);
    if (seed_ == 1) arm.maps = attention_maps(tuned.model, test_);
    keep(tuned.model, "adaptive");
  }

  void analyse(ArmRecord& arm, const ElasticModel& model, const ChoiceEvaluation& result) {
    arm.by_class = shares_by_class(result, shape_.labels);
    arm.difficulty = shares_by_difficulty(result, dense_losses());
    arm.memory = measure_memory(model, test_[test_.size() / 2]);
  }

  // The published ablations as test-time overrides of a model that was trained to choose.
  Overrides overrides(const ElasticModel& model) {
    Overrides overruled;
    for (const double share : overriding_shares) {
      ChoiceOptions options;
      options.override.share = share;
      Point point = choice_point(model.shape, 1.0, evaluate_choice(model, test_, options));
      point.share = share;
      overruled.fixed_share.push_back(point);
    }
    torch::manual_seed(seed_);
    ChoiceOptions random;
    random.override.random_heads = true;
    overruled.random_heads = choice_point(model.shape, 1.0, evaluate_choice(model, test_, random));
    return overruled;
  }

  void adaptive_warm(ArmRecord& arm) {
    AdaptiveSettings settings = recipe().adaptive;
    settings.distill_weight = 0.5;
    const ElasticModel start = adaptive_start(shape_);
    const int64_t half = steps_ / 2;
    Tuned best;
    for (const double rate : experiment_.rates) {
      ElasticModel model = copy_model(start);
      std::vector<StagePlan> plans;
      plans.push_back(plan(dense_stage(recipe().stages, validation_), half, rate));
      plans.push_back(adaptive_plan(settings, steps_ - half, rate));
      const TrainingResult result = train(model, std::move(plans), 3);
      const double validation = evaluate_choice(model, validation_).total.accuracy;
      if (validation > best.validation) best = {copy_model(model), rate, validation, result.log};
    }
    const ChoiceEvaluation result = add_choice(arm, best, settings);
    add_caps(arm, best.model);
    analyse(arm, best.model, result);
    keep(best.model, "adaptive-warm");
  }

  // How many heads the adaptive arm ran on average, as a share.
  double active_heads() const {
    const ArmRecord* adaptive = record_.find("adaptive");
    if (adaptive == nullptr) {
      throw Error(ErrorCode::usage, "reproduce",
                  "this arm runs as many heads as the adaptive one: run that first");
    }
    return adaptive->points.front().active_heads.value_or(1);
  }

  // The s that gives every input the adaptive arm's mean number of heads, rounded.
  double matched_share() const {
    const auto H = static_cast<double>(shape_.heads);
    return (std::max(1.0, std::round(active_heads() * H)) - 0.5) / H;
  }

  void static_heads(ArmRecord& arm) {
    const int64_t half = steps_ / 2;
    ElasticModel model = start_of(shape_);
    train(model, plan(dense_stage(recipe().stages, validation_), half, rate_of("dense")), 4);
    const Selection kept = select_heads(rank_by_ablation(model, validation_), active_heads());
    train(model,
          plan(masked_stage(recipe().stages, kept, validation_), steps_ - half, rate_of("dense")),
          5);
    arm.steps = steps_;
    arm.rate = rate_of("dense");
    arm.points = {score(model, 1.0, kept)};
  }

  // An arm that differs from the adaptive one in its settings alone, at the rate that one chose.
  void variant(ArmRecord& arm, const AdaptiveSettings& settings, const ModelShape& shape) {
    const double rate = rate_of("adaptive");
    add_choice(arm, tune_adaptive(adaptive_start(shape), settings, {rate}, 2), settings);
  }

  void fixed_share(ArmRecord& arm, double share) {
    AdaptiveSettings settings = recipe().adaptive;
    settings.fixed_share = share;
    variant(arm, settings, shape_);
    arm.share = share;
  }

  void random_heads(ArmRecord& arm) {
    AdaptiveSettings settings = recipe().adaptive;
    settings.random_heads = true;
    variant(arm, settings, shape_);
  }

  // As many heads per layer as the adaptive arm ran on test rows, but not where its texts asked for
  // them: without f_o, and with `random_heads` without g_d too.
  void matched(ArmRecord& arm, bool random_heads) {
    active_heads();  // tells where the adaptive arm is missing
    AdaptiveSettings settings = recipe().adaptive;
    settings.heads_per_layer = record_.find("adaptive")->points.front().heads_layers;
    settings.random_heads = random_heads;
    variant(arm, settings, shape_);
    arm.note = "heads per layer matched to the adaptive arm of this seed";
  }

  void constant_tau(ArmRecord& arm) {
    AdaptiveSettings settings = recipe().adaptive;
    settings.temperature = {1, 1, 0, 1};
    settings.entropy_weight = {0, 0, 0, 1};
    variant(arm, settings, shape_);
  }

  void share_weight(ArmRecord& arm, double weight) {
    AdaptiveSettings settings = recipe().adaptive;
    settings.share_weight.last = weight;
    variant(arm, settings, shape_);
    arm.share_weight = weight;
  }

  void dropped_heads(ArmRecord& arm) {
    const Tuned tuned = tune(
        start_of(shape_), {rate_of("dense")}, 6,
        [&](double rate) {
          return plan(head_dropout_stage(recipe().stages, head_dropout, validation_), steps_, rate);
        },
        [&](const ElasticModel& model) {
          return evaluate(model.weights, validation_, model.evaluation()).accuracy;
        });
    add_dense(arm, tuned);
  }

  void dense_of(ArmRecord& arm, int64_t heads) {
    if (!experiment_.init.empty()) return;  // pretrained weights are made for their heads
    ModelShape shape = shape_;
    shape.heads = heads;
    add_dense(arm, tune_dense(start_of(shape), {rate_of("dense")}, 7));
  }

  void small(ArmRecord& arm) {
    if (!experiment_.init.empty()) return;
    ModelShape shape = shape_;
    shape.layers = std::max<int64_t>(1, shape.layers / 2);
    shape.width /= 2;
    shape.ffn /= 2;
    variant(arm, recipe().adaptive, shape);
  }

  void fewer_rows(ArmRecord& arm, double share) {
    TaskData part = data_;
    part.train = {};
    Random random{seed_, 0x726f7773};
    for (int64_t row = 0; row < data_.train.size(); ++row) {
      if (random.uniform() >= share) continue;
      const auto types = data_.train.row_types(row);
      part.train.append(data_.train.row(row), data_.train.labels[static_cast<size_t>(row)]);
      part.train.types.insert(part.train.types.end(), types.begin(), types.end());
    }
    auto source = training_source(part, recipe().batch_size, seed_, device_);
    std::swap(source, source_);
    variant(arm, recipe().adaptive, shape_);
    std::swap(source, source_);
    arm.rows = part.train.size();
  }

  void keep(const ElasticModel& model, const std::string& name) {
    if (seed_ != 1) return;
    ModelWeights on_cpu = to_device(model.weights, torch::kCPU);
    write_checkpoint(checkpoints_ / name,
                     {config_for(model, data_, Method::adaptive), data_.vocabulary->to_text(),
                      fmt::format("# {}\n\nThe model of seed 1 of the adaptive experiment on {}.\n",
                                  name, experiment_.task_name),
                      "", tensor_views(on_cpu, DType::bf16)});
  }

  int64_t steps_ = 0;
  std::filesystem::path checkpoints_;
  std::optional<ElasticModel> dense_;
};

}  // namespace

Record run_seed(const Experiment& experiment, uint64_t seed, const std::filesystem::path& file,
                ProgressSink& progress) {
  use_threads(experiment.threads);
  Experiment run = experiment;
  if (!run.init.empty()) {  // gentler, as for every method that starts from pretrained weights
    run.recipe.dropout = 0.1;
    run.rates = {2e-4, 5e-4};
  }
  return AdaptiveRun(run, seed, file, progress).run();
}

}  // namespace headroom::experiments::adaptive
