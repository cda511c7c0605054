// One seed of an experiment: its data, and arms that are run once and kept in a record. What the
// arms are is said by the experiments that derive from this.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/progress.h"
#include "experiments/experiment.h"
#include "experiments/record/record.h"
#include "train/evaluate/evaluate.h"
#include "train/loop/plan.h"
#include "train/rows/task_data.h"

namespace headroom::experiments {

class SeedRun {
 protected:
  using Select = std::function<Selection(double)>;
  using ArmBody = std::function<void(ArmRecord&)>;

  // Throws ErrorCode::usage where `file`, or another record beside it, is of another recipe.
  SeedRun(const Experiment& experiment, uint64_t seed, std::filesystem::path file,
          ProgressSink& progress);

  // Runs `body` unless the record holds the arm already or other arms were asked for; writes the
  // file. An arm that stores no point could not be run here and is left out.
  void arm(const std::string& name, const ArmBody& body);

  // Fresh weights, or those of the pretrained checkpoint. No gates, no order.
  ElasticModel start() const;

  StagePlan plan(std::unique_ptr<Stage> stage, int64_t steps, double rate) const;

  // `salt` keeps arms from seeing the same dropout and budgets.
  TrainingResult train(ElasticModel& model, std::vector<StagePlan> plans, uint64_t salt);
  TrainingResult train(ElasticModel& model, StagePlan plan, uint64_t salt);

  // Which test rows were right, in their own order, as points store it; empty where rows have no
  // label each.
  std::string correct_rows(const Evaluation& result) const;

  // What a selection of a model of this shape costs on the test rows, and how it did.
  Point point(const ModelShape& shape, double budget, const Selection& selection,
              const Evaluation& result) const;

  // Accuracy of physically sliced weights; the test rows are read here and nowhere else.
  Point score(const ElasticModel& model, double budget, const Selection& selection,
              const torch::Tensor& scale = {}) const;
  std::vector<Point> curve(const ElasticModel& model, const std::vector<double>& budgets,
                           const Select& select) const;
  std::vector<Point> validation_curve(const ElasticModel& model, const std::vector<double>& budgets,
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
  Record record_;

 private:
  Record empty_record() const;
  void open_record();

  std::filesystem::path file_;
  ProgressSink& progress_;
  std::vector<int64_t> test_lengths_;
  std::string arm_name_;
};

}  // namespace headroom::experiments
