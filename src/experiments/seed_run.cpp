#include "experiments/seed_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/files/file.h"
#include "base/measure/machine.h"
#include "base/random.h"
#include "budget/cost.h"
#include "experiments/commit.h"
#include "experiments/recipe.h"
#include "experiments/record/test_rows.h"
#include "model/slice.h"
#include "train/fine_tuning.h"
#include "train/runtime.h"
#include "train/tasks/tasks.h"

namespace headroom::experiments {
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
  open_record();
}

Record SeedRun::empty_record() const {
  Record record;
  record.experiment = experiment_.name;
  record.task = experiment_.task_name;
  record.seed = seed_;
  record.date = today();
  record.commit = build_commit();
  record.machine = parse_machine(describe_runtime(device_));
  if (!experiment_.init.empty()) {
    record.start = "pretrained " + experiment_.init.filename().string();
  }
  record.options = experiment_.options;
  record.rows = RowCounts{std::nullopt, data_.validation.size(), data_.test.size()};
  if (data_.task != Task::synthetic) record.rows->train = data_.train.size();
  record.shape = {shape_.layers,    shape_.width,      shape_.heads,  shape_.ffn,
                  shape_.positions, shape_.vocabulary, shape_.labels, std::nullopt};
  record.recipe = whole_recipe(experiment_, data_);
  return record;
}

// Before anything is trained: what it would be stored beside must be of the same recipe.
void SeedRun::open_record() {
  record_ = empty_record();
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(file_.parent_path(), error)) {
    if (entry.path().extension() != ".json") continue;
    const Record stored = read_record(entry.path());
    require_extendable(stored, record_, entry.path().string());
    if (entry.path().filename() == file_.filename()) record_ = stored;
  }
}

void SeedRun::arm(const std::string& name, const ArmBody& body) {
  const std::vector<std::string>& wanted = experiment_.arms;
  if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), name) == wanted.end()) return;
  if (record_.find(name) != nullptr) return;
  const auto started = std::chrono::steady_clock::now();
  arm_name_ = name;
  ArmRecord arm;
  body(arm);
  if (arm.points.empty()) return;  // could not be run here
  arm.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  progress_.note(fmt::format("seed {} {}: {:.0f} s", seed_, name, *arm.seconds));
  record_.arm(name) = std::move(arm);
  for (NamedArm& named : record_.arms) {
    if (named.arm.commit.empty()) named.arm.commit = build_commit();
  }
  write_file_atomically(file_, to_json(record_).dump(1) + "\n");
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

std::string SeedRun::correct_rows(const Evaluation& result) const {
  if (result.correct.empty()) return "";
  const std::vector<int32_t> order = data_.test.rows_by_length();  // as evaluation_batches() reads
  std::vector<bool> right(result.correct.size());
  for (size_t i = 0; i < right.size(); ++i) {
    right[static_cast<size_t>(order.at(i))] = result.correct[i];
  }
  return pack_rows(right);
}

Point SeedRun::point(const ModelShape& shape, double budget, const Selection& selection,
                     const Evaluation& result) const {
  const Cost cost = mean_cost(shape, selection, test_lengths_);
  Point point;
  point.budget = budget;
  point.accuracy = result.accuracy;
  point.loss = result.loss;
  point.active_heads = selection.active_fraction();
  if (!selection.ffn.empty()) point.active_ffn = selection.active_ffn(shape.ffn);
  point.macs_fraction = cost.model_macs / mean_dense_cost(shape, test_lengths_).model_macs;
  point.attention_macs = cost.attention_macs;
  point.model_macs = cost.model_macs;
  point.parameters = static_cast<double>(parameter_count(shape, selection));
  point.correct = correct_rows(result);
  return point;
}

Point SeedRun::score(const ElasticModel& model, double budget, const Selection& selection,
                     const torch::Tensor& scale) const {
  const ModelWeights sliced = slice_model(model.weights, selection, scale);
  return point(model.shape, budget, selection, evaluate(sliced, test_, model.evaluation()));
}

std::vector<Point> SeedRun::curve(const ElasticModel& model, const std::vector<double>& budgets,
                                  const Select& select) const {
  std::vector<Point> points;
  for (const double budget : budgets) points.push_back(score(model, budget, select(budget)));
  return points;
}

std::vector<Point> SeedRun::validation_curve(const ElasticModel& model,
                                             const std::vector<double>& budgets,
                                             const Select& select) const {
  std::vector<Point> points;
  for (const double budget : budgets) {
    const ModelWeights sliced = slice_model(model.weights, select(budget));
    Point point{budget};
    point.accuracy = evaluate(sliced, validation_, model.evaluation()).accuracy;
    points.push_back(point);
  }
  return points;
}

}  // namespace headroom::experiments
