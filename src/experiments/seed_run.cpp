#include "experiments/seed_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/file.h"
#include "base/machine.h"
#include "base/random.h"
#include "budget/cost.h"
#include "model/slice.h"
#include "train/fine_tuning.h"
#include "train/runtime.h"
#include "train/tasks/tasks.h"

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

TaskData data_for(const Experiment& experiment) {
  if (experiment.init.empty()) return load_task(experiment.task);
  const TextCoding coding = read_coding(experiment.init);
  return load_task(experiment.task, &coding);
}

}  // namespace

SeedRun::SeedRun(const Experiment& experiment, uint64_t seed, std::filesystem::path file,
                 ProgressSink& progress)
    : experiment_(experiment),
      seed_(seed),
      device_(open_device(experiment.device)),
      data_(data_for(experiment)),
      shape_(experiment.shape),
      file_(std::move(file)),
      progress_(progress) {
  shape_ = fit_shape(shape_, data_);
  const int batch = device_.is_cuda() ? 512 : 64;
  validation_ = evaluation_batches(data_.validation, batch, device_);
  test_ = evaluation_batches(data_.test, batch, device_);
  for (const int32_t length : data_.test.lengths()) test_lengths_.push_back(length);
  source_ = training_source(data_, experiment.recipe.batch_size, seed, device_);
  start_results();
}

void SeedRun::start_results() {
  if (std::filesystem::exists(file_)) {
    results_ =
        parse_json(read_file(file_, ErrorCode::bad_data), ErrorCode::bad_data, file_.string());
    return;
  }
  results_["experiment"] = experiment_.name;
  results_["task"] = experiment_.task_name;
  results_["seed"] = seed_;
  results_["date"] = today();
  results_["machine"] = describe_runtime(device_);
  if (!experiment_.init.empty()) {
    results_["start"] = "pretrained " + experiment_.init.filename().string();
  }
  if (!experiment_.options.empty()) results_["options"] = experiment_.options;
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
                        {"dense_epochs", r.dense_epochs},
                        {"dense_rate", r.dense_rate},
                        {"soft_rate", r.soft_rate},
                        {"hard_rate", r.hard_rate},
                        {"nested_rate", r.nested_rate},
                        {"dropout", r.dropout},
                        {"weight_decay", r.weight_decay},
                        {"mass_weight", r.stages.mass_weight},
                        {"overshoot_weight", r.stages.overshoot_weight},
                        {"distill_weight", r.stages.distill_weight},
                        {"temperature", r.stages.temperature}};
  results_["arms"] = Json::object();
}

void SeedRun::arm(const std::string& name, const Arm& body) {
  const std::vector<std::string>& wanted = experiment_.arms;
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) return;
  if (results_["arms"].contains(name)) return;
  const auto started = std::chrono::steady_clock::now();
  arm_name_ = name;
  Json json;
  body(json);
  if (json.is_null()) return;  // could not be run here
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  json["seconds"] = seconds;
  results_["arms"][name] = json;
  write_file_atomically(file_, results_.dump(1) + "\n");
  progress_.note(fmt::format("seed {} {}: {:.0f} s", seed_, name, seconds));
}

ElasticModel SeedRun::start() const {
  ElasticModel model;
  model.shape = shape_;
  model.dropout = experiment_.recipe.dropout;
  model.weights = fresh_weights(shape_, seed_, device_,
                                shape_.generates() ? OutputHead::language : OutputHead::classifier);
  if (!experiment_.init.empty()) start_from(experiment_.init, data_.labels, model);
  return model;
}

StagePlan SeedRun::plan(std::unique_ptr<Stage> stage, int64_t steps, double rate) const {
  return plan_stage(std::move(stage), steps, rate, experiment_.recipe, *source_);
}

TrainingResult SeedRun::train(ElasticModel& model, std::vector<StagePlan> plans, uint64_t salt) {
  ArmProgress named(fmt::format("seed {} {}", seed_, arm_name_), progress_);
  return run_stages(model, plans, *source_,
                    trainer_settings(experiment_.recipe, mix_key({seed_, salt})), named);
}

TrainingResult SeedRun::train(ElasticModel& model, StagePlan plan, uint64_t salt) {
  std::vector<StagePlan> plans;
  plans.push_back(std::move(plan));
  return train(model, std::move(plans), salt);
}

Json SeedRun::point(const ModelShape& shape, double budget, const Selection& selection,
                    const Evaluation& result) const {
  const Cost cost = mean_cost(shape, selection, test_lengths_);
  Json json;
  json["budget"] = budget;
  json["accuracy"] = result.accuracy;
  json["loss"] = result.loss;
  json["active_heads"] = selection.active_fraction();
  if (!selection.ffn.empty()) json["active_ffn"] = selection.active_ffn(shape.ffn);
  json["macs_fraction"] = cost.model_macs / mean_dense_cost(shape, test_lengths_).model_macs;
  json["attention_macs"] = cost.attention_macs;
  json["model_macs"] = cost.model_macs;
  json["parameters"] = parameter_count(shape, selection);
  return json;
}

Json SeedRun::score(const ElasticModel& model, double budget, const Selection& selection,
                    const torch::Tensor& scale) const {
  const ModelWeights sliced = slice_model(model.weights, selection, scale);
  return point(model.shape, budget, selection, evaluate(sliced, test_, model.evaluation()));
}

Json SeedRun::curve(const ElasticModel& model, const std::vector<double>& budgets,
                    const Select& select) const {
  Json points = Json::array();
  for (const double budget : budgets) points.push_back(score(model, budget, select(budget)));
  return points;
}

Json SeedRun::validation_curve(const ElasticModel& model, const std::vector<double>& budgets,
                               const Select& select) const {
  Json points = Json::array();
  for (const double budget : budgets) {
    const ModelWeights sliced = slice_model(model.weights, select(budget));
    points.push_back({{"budget", budget},
                      {"accuracy", evaluate(sliced, validation_, model.evaluation()).accuracy}});
  }
  return points;
}

}  // namespace headroom
