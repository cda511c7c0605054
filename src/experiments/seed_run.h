// One seed of an experiment: its data, and arms that are run once and kept in a JSON file. What the
// arms are is said by the experiments that derive from this.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/progress.h"
#include "experiments/experiment.h"
#include "train/evaluate/evaluate.h"
#include "train/loop/plan.h"
#include "train/rows/task_data.h"

namespace headroom {

class SeedRun {
 protected:
  using Select = std::function<Selection(double)>;
  using Arm = std::function<void(Json&)>;

  SeedRun(const Experiment& experiment, uint64_t seed, std::filesystem::path file,
          ProgressSink& progress);

  // Runs `body` unless the file holds the arm already or other arms were asked for; writes the
  // file.
  void arm(const std::string& name, const Arm& body);

  // Fresh weights, or those of the pretrained checkpoint. No gates, no order.
  ElasticModel start() const;

  StagePlan plan(std::unique_ptr<Stage> stage, int64_t steps, double rate) const;

  // `salt` keeps arms from seeing the same dropout and budgets.
  TrainingResult train(ElasticModel& model, std::vector<StagePlan> plans, uint64_t salt);
  TrainingResult train(ElasticModel& model, StagePlan plan, uint64_t salt);

  // What a selection of a model of this shape costs on the test rows, and how it did.
  Json point(const ModelShape& shape, double budget, const Selection& selection,
             const Evaluation& result) const;

  // Accuracy of physically sliced weights; the test rows are read here and nowhere else.
  Json score(const ElasticModel& model, double budget, const Selection& selection,
             const torch::Tensor& scale = {}) const;
  Json curve(const ElasticModel& model, const std::vector<double>& budgets,
             const Select& select) const;
  Json validation_curve(const ElasticModel& model, const std::vector<double>& budgets,
                        const Select& select) const;

  const Recipe& recipe() const { return experiment_.recipe; }

  const Experiment& experiment_;
  uint64_t seed_;
  torch::Device device_;
  TaskData data_;
  ModelShape shape_;
  std::vector<Batch> validation_;
  std::vector<Batch> test_;
  std::unique_ptr<BatchSource> source_;
  Json results_;

 private:
  void start_results();

  std::filesystem::path file_;
  ProgressSink& progress_;
  std::vector<int64_t> test_lengths_;
  std::string arm_name_;
};

}  // namespace headroom
