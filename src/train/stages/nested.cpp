#include "train/stages/nested.h"

#include <fmt/format.h>

#include <optional>

#include "train/evaluate/evaluate.h"
#include "train/stages/distilled_loss.h"
#include "train/stages/search_allocation.h"
#include "train/stages/stages.h"
#include "train/stages/unit_importance.h"

namespace headroom {
inline namespace train {
namespace {

// Quality at several budgets; the score is their mean.
Validation validate_prefixes(const ElasticModel& model, const std::vector<Batch>& batches,
                             const std::vector<double>& budgets) {
  Validation result;
  for (const double budget : budgets) {
    const Evaluation found =
        model.objective->evaluate(at_budget(model, budget), batches, model.evaluation());
    result.details.push_back(log_entry(found, budget));
    result.score += found.quality / static_cast<double>(budgets.size());
  }
  return result;
}

class NestedStage : public Stage {
 public:
  NestedStage(StageSettings settings, const NestedSettings& nested,
              const std::vector<Batch>& validation)
      : settings_(std::move(settings)), nested_(nested), validation_(validation) {}

  std::string name() const override { return "nested"; }
  void prepare(ElasticModel& model, Random& random, ProgressSink& progress) override {
    arrange_units(model, validation_, nested_);
    if (nested_.allocation == Allocation::searched) {
      search_allocation(model, validation_, settings_, random, progress);
    }
  }
  void begin(ElasticModel start) override { teacher_ = std::move(start); }

  torch::Tensor loss(const ElasticModel& model, const Batch& batch, Random& random) override {
    torch::Tensor taught;
    if (settings_.distill_weight > 0) taught = teacher_outputs(*teacher_, batch);
    std::vector<double> budgets = {1.0};
    budgets.insert(budgets.end(), settings_.anchors.begin(), settings_.anchors.end());
    budgets.push_back(draw_budget(settings_, random));
    torch::Tensor total;
    for (const double budget : budgets) {
      const torch::Tensor logits = forward(at_budget(model, budget), batch, model.training());
      const torch::Tensor one = distilled_loss(settings_, *model.objective, logits, taught, batch);
      total = total.defined() ? total + one : one;
    }
    return total / static_cast<double>(budgets.size());
  }
  Validation validate(const ElasticModel& model) override {
    return validate_prefixes(model, validation_, settings_.budget_grid);
  }

 private:
  StageSettings settings_;
  NestedSettings nested_;
  const std::vector<Batch>& validation_;
  std::optional<ElasticModel> teacher_;
};

class SpecialistStage : public Stage {
 public:
  SpecialistStage(StageSettings settings, double budget, const std::vector<Batch>& validation)
      : settings_(std::move(settings)), budget_(budget), validation_(validation) {}
  std::string name() const override { return "specialist"; }
  void begin(ElasticModel start) override { teacher_ = std::move(start); }
  torch::Tensor loss(const ElasticModel& model, const Batch& batch, Random& /*random*/) override {
    const torch::Tensor logits = forward(at_budget(model, budget_), batch, model.training());
    return distilled_loss(settings_, *model.objective, logits, teacher_outputs(*teacher_, batch),
                          batch);
  }
  Validation validate(const ElasticModel& model) override {
    return validate_prefixes(model, validation_, {budget_});
  }

 private:
  StageSettings settings_;
  double budget_;
  const std::vector<Batch>& validation_;
  std::optional<ElasticModel> teacher_;
};

}  // namespace

std::unique_ptr<Stage> nested_stage(const StageSettings& settings, const NestedSettings& nested,
                                    const std::vector<Batch>& validation) {
  return std::make_unique<NestedStage>(settings, nested, validation);
}

std::unique_ptr<Stage> specialist_stage(const StageSettings& settings, double budget,
                                        const std::vector<Batch>& validation) {
  return std::make_unique<SpecialistStage>(settings, budget, validation);
}

}  // namespace train
}  // namespace headroom
