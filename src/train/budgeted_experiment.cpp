#include "train/budgeted_experiment.h"

#include <fmt/format.h>

#include <chrono>

#include "base/file.h"
#include "base/machine.h"
#include "budget/cost.h"
#include "model/slice.h"
#include "train/evaluate.h"
#include "train/importance.h"
#include "train/plan.h"
#include "train/runtime.h"
#include "train/task_data.h"

namespace headroom {
namespace {

// Names the arm in front of the trainer's stage, so that the bar says what is being trained.
class ArmProgress : public ProgressSink {
 public:
  ArmProgress(std::string arm, ProgressSink& inner) : arm_(std::move(arm)), inner_(inner) {}
  void update(const ProgressUpdate& update) override {
    ProgressUpdate named = update;
    named.stage = arm_ + " " + update.stage;
    inner_.update(named);
  }
  void note(const std::string& /*line*/) override {}

 private:
  std::string arm_;
  ProgressSink& inner_;
};

class SeedRun {
 public:
  SeedRun(const BudgetedExperiment& experiment, uint64_t seed, std::filesystem::path file,
          ProgressSink& progress)
      : experiment_(experiment),
        seed_(seed),
        file_(std::move(file)),
        progress_(progress),
        device_(open_device(experiment.device)),
        data_(load_task(experiment.task)),
        shape_(experiment.shape) {
    shape_.vocabulary = data_.vocabulary->size();
    shape_.positions = data_.max_tokens;
    shape_.labels = static_cast<int64_t>(data_.labels.size());
    const int batch = device_.is_cuda() ? 512 : 64;
    validation_ = evaluation_batches(data_.validation, batch, device_);
    test_ = evaluation_batches(data_.test, batch, device_);
    for (const int32_t length : data_.test.lengths()) test_lengths_.push_back(length);
    source_ = training_source(data_, experiment.recipe.batch_size, seed, device_);
    soft_steps_ = steps_for(experiment.recipe.soft_epochs, *source_);
    hard_steps_ = steps_for(experiment.recipe.hard_epochs, *source_);
  }

  Json run() {
    start_results();
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
  using Select = std::function<HeadSelection(double)>;

  void start_results() {
    if (std::filesystem::exists(file_)) {
      results_ =
          parse_json(read_file(file_, ErrorCode::bad_data), ErrorCode::bad_data, file_.string());
      return;
    }
    results_["experiment"] = "budgeted";
    results_["task"] = experiment_.task_name;
    results_["seed"] = seed_;
    results_["date"] = today();
    results_["machine"] = describe_runtime(device_);
    results_["rows"] = {
        {"train", data_.task == Task::synthetic ? Json("fresh") : Json(data_.train.size())},
        {"validation", data_.validation.size()},
        {"test", data_.test.size()}};
    results_["shape"] = {{"layers", shape_.layers},        {"width", shape_.width},
                         {"heads", shape_.heads},          {"ffn", shape_.ffn},
                         {"max_tokens", shape_.positions}, {"vocabulary", shape_.vocabulary},
                         {"labels", shape_.labels}};
    const Recipe& r = experiment_.recipe;
    results_["recipe"] = {{"batch", r.batch_size},
                          {"dense_rate", r.dense_rate},
                          {"soft_rate", r.soft_rate},
                          {"hard_rate", r.hard_rate},
                          {"dropout", r.dropout},
                          {"weight_decay", r.weight_decay},
                          {"mass_weight", r.stages.mass_weight},
                          {"overshoot_weight", r.stages.overshoot_weight},
                          {"distill_weight", r.stages.distill_weight},
                          {"temperature", r.stages.temperature}};
    results_["arms"] = Json::object();
  }

  template <typename Body>
  void arm(const std::string& name, const Body& body) {
    if (results_["arms"].contains(name)) return;
    const auto started = std::chrono::steady_clock::now();
    arm_name_ = name;
    Json json;
    body(json);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    json["seconds"] = seconds;
    results_["arms"][name] = json;
    write_file_atomically(file_, results_.dump(1) + "\n");
    progress_.note(fmt::format("seed {} {}: {:.0f} s", seed_, name, seconds));
  }

  ElasticModel fresh(bool free_slopes = false) const {
    ElasticModel model;
    model.shape = shape_;
    model.dropout = experiment_.recipe.dropout;
    model.weights = fresh_weights(shape_, seed_, device_);
    model.gates = fresh_gates(shape_.layers, shape_.heads, free_slopes, seed_, device_);
    return model;
  }

  StagePlan plan(std::unique_ptr<Stage> stage, int64_t steps, double rate) const {
    return plan_stage(std::move(stage), steps, rate, experiment_.recipe, *source_);
  }

  // `salt` keeps arms from seeing the same dropout and budgets.
  TrainingResult train(ElasticModel& model, std::vector<StagePlan> plans, uint64_t salt) {
    ArmProgress named(fmt::format("seed {} {}", seed_, arm_name_), progress_);
    return run_stages(model, plans, *source_,
                      trainer_settings(experiment_.recipe, mix_key({seed_, salt})), named);
  }

  // The dense model that all warm-started arms begin from, and how many steps it took.
  const ElasticModel& warm() {
    if (!warm_) {
      ElasticModel model = fresh();
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

  Json point(double budget, const HeadSelection& selection, const Evaluation& result) const {
    const HeadSelection all = all_heads(shape_.layers, shape_.heads);
    const Cost cost = mean_cost(shape_, selection, test_lengths_);
    Json json;
    json["budget"] = budget;
    json["accuracy"] = result.accuracy;
    json["loss"] = result.loss;
    json["active_heads"] = selection.active_fraction();
    json["macs_fraction"] = cost.model_macs / mean_cost(shape_, all, test_lengths_).model_macs;
    json["attention_macs"] = cost.attention_macs;
    json["model_macs"] = cost.model_macs;
    return json;
  }

  // Accuracy of physically sliced weights; the test rows are read here and nowhere else.
  Json score(const ElasticModel& model, double budget, const HeadSelection& selection,
             const torch::Tensor& scale = {}) const {
    const ModelWeights sliced = slice_heads(model.weights, selection, scale);
    return point(budget, selection, evaluate(sliced, test_, model.evaluation()));
  }

  Json curve(const ElasticModel& model, const std::vector<double>& budgets,
             const Select& select) const {
    Json points = Json::array();
    for (const double budget : budgets) points.push_back(score(model, budget, select(budget)));
    return points;
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
    const Recipe& recipe = experiment_.recipe;
    ElasticModel model = copy_model(warm());
    model.gates = fresh_gates(shape_.layers, shape_.heads, free_slopes, seed_, device_);
    std::vector<StagePlan> soft;
    soft.push_back(plan(soft_stage(recipe.stages, validation_), soft_steps_, recipe.soft_rate));
    train(model, std::move(soft), 1);
    if (!free_slopes) score_soft_model(model);
    std::vector<StagePlan> hard;
    hard.push_back(plan(hard_stage(recipe.stages, validation_), hard_steps_, recipe.hard_rate));
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
      const HeadSelection selection = select_heads(gates.order(budget), budget);
      const torch::Tensor values = model.gates->values(budget);
      Json at = point(budget, all_heads(shape_.layers, shape_.heads),
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
      const Recipe& recipe = experiment_.recipe;
      ElasticModel model = fresh();
      std::vector<StagePlan> plans;
      plans.push_back(plan(dense_stage(recipe.stages, validation_), warm_steps() + soft_steps_,
                           recipe.dense_rate));
      train(model, std::move(plans), 3);
      long_dense_ = copy_model(model);
    }
    return *long_dense_;
  }

  void dense(Json& json) {
    const Recipe& recipe = experiment_.recipe;
    ElasticModel model = copy_model(long_dense());
    std::vector<StagePlan> plans;
    plans.push_back(plan(dense_stage(recipe.stages, validation_), hard_steps_, recipe.hard_rate));
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
    const Recipe& recipe = experiment_.recipe;
    const HeadOrder ranked = rank_by_ablation(long_dense(), validation_);
    json["points"] = Json::array();
    for (const double budget : experiment_.budgets) {
      if (budget >= 1.0) continue;  // nothing was removed, nothing to recover: the dense arm
      ElasticModel model = copy_model(long_dense());
      const HeadSelection selection = select_heads(ranked, budget);
      std::vector<StagePlan> plans;
      plans.push_back(
          plan(masked_stage(recipe.stages, selection, validation_), hard_steps_, recipe.hard_rate));
      train(model, std::move(plans), 5);
      json["points"].push_back(score(model, budget, selection));
    }
    json["steps_each"] = warm_steps() + soft_steps_ + hard_steps_;
  }

  void static_gates(Json& json) {
    json["points"] = Json::array();
    for (const double budget : experiment_.static_budgets) {
      Recipe recipe = experiment_.recipe;
      recipe.stages.fixed_budget = budget;
      ElasticModel model = copy_model(warm());
      model.gates = fresh_gates(shape_.layers, shape_.heads, false, seed_, device_);
      std::vector<StagePlan> plans;
      plans.push_back(plan(soft_stage(recipe.stages, validation_), soft_steps_, recipe.soft_rate));
      plans.push_back(plan(hard_stage(recipe.stages, validation_), hard_steps_, recipe.hard_rate));
      train(model, std::move(plans), 6);
      json["points"].push_back(score(model, budget, by_gates(model)(budget)));
    }
    json["steps_each"] = warm_steps() + soft_steps_ + hard_steps_;
  }

  void random_adapted(Json& json) {
    const Recipe& recipe = experiment_.recipe;
    const HeadOrder order = random_order(shape_.layers, shape_.heads, seed_);
    ElasticModel model = copy_model(warm());
    std::vector<StagePlan> plans;
    plans.push_back(plan(ordered_stage(recipe.stages, order, validation_),
                         soft_steps_ + hard_steps_, recipe.soft_rate));
    train(model, std::move(plans), 7);
    json["steps"] = warm_steps() + soft_steps_ + hard_steps_;
    json["points"] = curve(model, experiment_.budgets, by_order(order));
  }

  void scratch(Json& json) {
    const Recipe& recipe = experiment_.recipe;
    ElasticModel model = fresh();
    std::vector<StagePlan> plans;
    plans.push_back(plan(soft_stage(recipe.stages, validation_), warm_steps() + soft_steps_,
                         recipe.dense_rate));
    plans.push_back(plan(hard_stage(recipe.stages, validation_), hard_steps_, recipe.hard_rate));
    train(model, std::move(plans), 8);
    json["steps"] = warm_steps() + soft_steps_ + hard_steps_;
    json["points"] = curve(model, experiment_.budgets, by_gates(model));
  }

  const BudgetedExperiment& experiment_;
  uint64_t seed_;
  std::filesystem::path file_;
  ProgressSink& progress_;
  torch::Device device_;
  TaskData data_;
  ModelShape shape_;
  std::vector<Batch> validation_;
  std::vector<Batch> test_;
  std::vector<int64_t> test_lengths_;
  std::unique_ptr<BatchSource> source_;
  int64_t soft_steps_ = 0;
  int64_t hard_steps_ = 0;
  std::optional<ElasticModel> warm_;
  int64_t warm_steps_ = 0;
  double warm_score_ = 0;
  std::optional<ElasticModel> long_dense_;
  std::string arm_name_;
  Json results_;
};

}  // namespace

Json run_budgeted_seed(const BudgetedExperiment& experiment, uint64_t seed,
                       const std::filesystem::path& file, ProgressSink& progress) {
  use_threads(experiment.threads);
  return SeedRun(experiment, seed, file, progress).run();
}

}  // namespace headroom
