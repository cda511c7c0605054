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

namespace headroom {
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
    results_["steps"] = steps_;
    results_["labels"] = data_.labels;
  }

  Json run() {
    arm("dense", [&](Json& json) { dense(json); });
    arm("adaptive", [&](Json& json) { adaptive(json); });
    arm("static", [&](Json& json) { static_heads(json); });
    arm("fixed-share", [&](Json& json) { fixed_share(json, matched_share()); });
    arm("random-heads", [&](Json& json) { random_heads(json); });
    arm("adaptive-warm", [&](Json& json) { adaptive_warm(json); });
    arm("constant-tau", [&](Json& json) { constant_tau(json); });
    for (const double weight : other_share_weights) {
      arm(fmt::format("share-weight-{}", weight), [&](Json& json) { share_weight(json, weight); });
    }
    for (const int64_t heads : {1, 2, 4}) {
      arm(fmt::format("heads-{}", heads), [&](Json& json) { dense_of(json, heads); });
    }
    arm("head-dropout", [&](Json& json) { dropped_heads(json); });
    arm("rows-25", [&](Json& json) { fewer_rows(json, 0.25); });
    arm("rows-50", [&](Json& json) { fewer_rows(json, 0.5); });
    arm("small", [&](Json& json) { small(json); });
    arm("fixed-all", [&](Json& json) { fixed_share(json, 1.0); });
    return results_;
  }

 private:
  // The rate that a tuned arm chose; the first of the grid where that arm was not run.
  double rate_of(const char* name) const {
    const Json& arms = results_["arms"];
    return arms.contains(name) ? arms.at(name).at("rate").get<double>() : experiment_.rates.front();
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
    options.override = {settings.fixed_share, settings.random_heads};
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
  ChoiceEvaluation add_choice(Json& json, const Tuned& tuned, const AdaptiveSettings& settings) {
    torch::manual_seed(seed_);  // of heads at random
    const ChoiceEvaluation result = evaluate_choice(tuned.model, test_, options_of(settings));
    json["steps"] = steps_;
    json["rate"] = tuned.rate;
    json["validation"] = Json::array({{{"budget", 1.0}, {"accuracy", tuned.validation}}});
    json["points"] = Json::array({choice_point(tuned.model.shape, 1.0, result)});
    json["curve"] = validation_curve_of(tuned.log);
    return result;
  }

  // The same model at budgets that cap its choice.
  void add_caps(Json& json, const ElasticModel& model) {
    for (const double cap : caps) {
      ChoiceOptions options;
      options.budget = cap;
      json["points"].push_back(
          choice_point(model.shape, cap, evaluate_choice(model, test_, options)));
    }
  }

  void add_dense(Json& json, const Tuned& tuned) {
    const Selection all = all_heads(tuned.model.shape.layers, tuned.model.shape.heads);
    json["steps"] = steps_;
    json["rate"] = tuned.rate;
    json["validation"] = Json::array({{{"budget", 1.0}, {"accuracy", tuned.validation}}});
    json["points"] = Json::array({score(tuned.model, 1.0, all)});
    json["curve"] = validation_curve_of(tuned.log);
  }

  void dense(Json& json) {
    const Tuned tuned = tune_dense(start_of(shape_), experiment_.rates, 1);
    dense_ = copy_model(tuned.model);
    add_dense(json, tuned);
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

  void adaptive(Json& json) {
    const AdaptiveSettings& settings = recipe().adaptive;
    const Tuned tuned = tune_adaptive(adaptive_start(shape_), settings, experiment_.rates, 2);
    const ChoiceEvaluation result = add_choice(json, tuned, settings);
    add_caps(json, tuned.model);
    analyse(json, tuned.model, result);
    json["overrides"] = overrides(tuned.model);
    if (seed_ == 1) json["maps"] = attention_maps(tuned.model, test_);
    keep(tuned.model, "adaptive");
  }

  void analyse(Json& json, const ElasticModel& model, const ChoiceEvaluation& result) {
    json["by_class"] = shares_by_class(result, shape_.labels);
    json["difficulty"] = shares_by_difficulty(result, dense_losses());
    json["memory"] = measure_memory(model, test_[test_.size() / 2]);
  }

  // The published ablations as test-time overrides of a model that was trained to choose.
  Json overrides(const ElasticModel& model) {
    Json json = {{"fixed_share", Json::array()}};
    for (const double share : overriding_shares) {
      ChoiceOptions options;
      options.override.share = share;
      Json point = choice_point(model.shape, 1.0, evaluate_choice(model, test_, options));
      point["share"] = share;
      json["fixed_share"].push_back(point);
    }
    torch::manual_seed(seed_);
    ChoiceOptions random;
    random.override.random_heads = true;
    json["random_heads"] = choice_point(model.shape, 1.0, evaluate_choice(model, test_, random));
    return json;
  }

  void adaptive_warm(Json& json) {
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
    const ChoiceEvaluation result = add_choice(json, best, settings);
    add_caps(json, best.model);
    analyse(json, best.model, result);
    keep(best.model, "adaptive-warm");
  }

  // How many heads the adaptive arm ran on average, as a share.
  double active_heads() const {
    const Json& arms = results_["arms"];
    if (!arms.contains("adaptive")) {
      throw Error(ErrorCode::usage, "reproduce",
                  "this arm runs as many heads as the adaptive one: run that first");
    }
    return arms.at("adaptive").at("points").front().at("active_heads").get<double>();
  }

  // The s that gives every input the adaptive arm's mean number of heads, rounded.
  double matched_share() const {
    const auto H = static_cast<double>(shape_.heads);
    return (std::max(1.0, std::round(active_heads() * H)) - 0.5) / H;
  }

  void static_heads(Json& json) {
    const int64_t half = steps_ / 2;
    ElasticModel model = start_of(shape_);
    train(model, plan(dense_stage(recipe().stages, validation_), half, rate_of("dense")), 4);
    const Selection kept = select_heads(rank_by_ablation(model, validation_), active_heads());
    train(model,
          plan(masked_stage(recipe().stages, kept, validation_), steps_ - half, rate_of("dense")),
          5);
    json["steps"] = steps_;
    json["rate"] = rate_of("dense");
    json["points"] = Json::array({score(model, 1.0, kept)});
  }

  // An arm that differs from the adaptive one in its settings alone, at the rate that one chose.
  void variant(Json& json, const AdaptiveSettings& settings, const ModelShape& shape) {
    const double rate = rate_of("adaptive");
    add_choice(json, tune_adaptive(adaptive_start(shape), settings, {rate}, 2), settings);
  }

  void fixed_share(Json& json, double share) {
    AdaptiveSettings settings = recipe().adaptive;
    settings.fixed_share = share;
    variant(json, settings, shape_);
    json["share"] = share;
  }

  void random_heads(Json& json) {
    AdaptiveSettings settings = recipe().adaptive;
    settings.random_heads = true;
    variant(json, settings, shape_);
  }

  void constant_tau(Json& json) {
    AdaptiveSettings settings = recipe().adaptive;
    settings.temperature = {1, 1, 0, 1};
    settings.entropy_weight = {0, 0, 0, 1};
    variant(json, settings, shape_);
  }

  void share_weight(Json& json, double weight) {
    AdaptiveSettings settings = recipe().adaptive;
    settings.share_weight.last = weight;
    variant(json, settings, shape_);
    json["share_weight"] = weight;
  }

  void dropped_heads(Json& json) {
    const Tuned tuned = tune(
        start_of(shape_), {rate_of("dense")}, 6,
        [&](double rate) {
          return plan(head_dropout_stage(recipe().stages, head_dropout, validation_), steps_, rate);
        },
        [&](const ElasticModel& model) {
          return evaluate(model.weights, validation_, model.evaluation()).accuracy;
        });
    add_dense(json, tuned);
  }

  void dense_of(Json& json, int64_t heads) {
    if (!experiment_.init.empty()) return;  // pretrained weights are made for their heads
    ModelShape shape = shape_;
    shape.heads = heads;
    add_dense(json, tune_dense(start_of(shape), {rate_of("dense")}, 7));
  }

  void small(Json& json) {
    if (!experiment_.init.empty()) return;
    ModelShape shape = shape_;
    shape.layers = std::max<int64_t>(1, shape.layers / 2);
    shape.width /= 2;
    shape.ffn /= 2;
    variant(json, recipe().adaptive, shape);
  }

  void fewer_rows(Json& json, double share) {
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
    variant(json, recipe().adaptive, shape_);
    std::swap(source, source_);
    json["rows"] = part.train.size();
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

Json run_adaptive_seed(const Experiment& experiment, uint64_t seed,
                       const std::filesystem::path& file, ProgressSink& progress) {
  use_threads(experiment.threads);
  Experiment run = experiment;
  if (!run.init.empty()) {  // gentler, as for every method that starts from pretrained weights
    run.recipe.dropout = 0.1;
    run.rates = {2e-4, 5e-4};
  }
  return AdaptiveRun(run, seed, file, progress).run();
}

}  // namespace headroom
