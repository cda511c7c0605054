#include "train/stages/stages.h"

#include <fmt/format.h>

#include "model/slice.h"
#include "train/evaluate/evaluate.h"
#include "train/stages/losses.h"

namespace headroom {
inline namespace train {
namespace {

// Quality at several budgets; the score is their mean. `factors(b)` gives the head factors.
template <typename Factors>
Validation validate_budgets(const ElasticModel& model, const std::vector<Batch>& batches,
                            const std::vector<double>& budgets, const Factors& factors) {
  const torch::NoGradGuard no_gradients;
  Validation result;
  for (const double budget : budgets) {
    const Evaluation found =
        model.objective->evaluate(model.weights, batches, model.evaluation(factors(budget)));
    result.details.push_back(log_entry(found, budget));
    result.score += found.quality / static_cast<double>(budgets.size());
  }
  return result;
}

torch::Tensor teacher_logits(const ElasticModel& teacher, const Batch& batch,
                             const torch::Tensor& head_factors) {
  const torch::NoGradGuard no_gradients;
  return forward(teacher.weights, batch, teacher.evaluation(head_factors));
}

class StageBase : public Stage {
 public:
  StageBase(StageSettings settings, const std::vector<Batch>& validation)
      : settings_(std::move(settings)), validation_(validation) {}

 protected:
  std::vector<double> budgets() const {
    if (settings_.fixed_budget) return {*settings_.fixed_budget};
    return settings_.budget_grid;
  }
  torch::Tensor task(const ElasticModel& model, const torch::Tensor& logits,
                     const Batch& batch) const {
    return model.objective->loss(logits, batch, settings_.label_smoothing);
  }
  // (1 - r) * task + r * distillation from `taught`, the teacher's outputs.
  torch::Tensor distilled(const ElasticModel& model, const torch::Tensor& logits,
                          const torch::Tensor& taught, const Batch& batch) const {
    const double r = settings_.distill_weight;
    return (1 - r) * task(model, logits, batch) +
           r * model.objective->distillation(logits, taught, batch, settings_.temperature);
  }

  StageSettings settings_;
  const std::vector<Batch>& validation_;
};

class DenseStage : public StageBase {
 public:
  using StageBase::StageBase;
  std::string name() const override { return "dense"; }
  torch::Tensor loss(const ElasticModel& model, const Batch& batch, Random& /*random*/) override {
    return task(model, forward(model.weights, batch, model.training()), batch);
  }
  Validation validate(const ElasticModel& model) override {
    return validate_budgets(model, validation_, {1.0}, [](double) { return torch::Tensor(); });
  }
};

class HeadDropoutStage : public DenseStage {
 public:
  HeadDropoutStage(const StageSettings& settings, double probability,
                   const std::vector<Batch>& validation)
      : DenseStage(settings, validation), kept_(1 - probability) {}
  std::string name() const override { return "head dropout"; }
  torch::Tensor loss(const ElasticModel& model, const Batch& batch, Random& /*random*/) override {
    const std::vector<int64_t> sizes = {model.shape.layers, batch.size(), model.shape.heads};
    const torch::Tensor draws = torch::rand(sizes, model.weights.words.options());
    const torch::Tensor factors = (draws < kept_).to(draws.scalar_type()) / kept_;
    return task(model, forward(model.weights, batch, model.training(factors)), batch);
  }

 private:
  double kept_;
};

class SoftStage : public StageBase {
 public:
  using StageBase::StageBase;
  std::string name() const override { return "soft"; }
  torch::Tensor loss(const ElasticModel& model, const Batch& batch, Random& random) override {
    const double budget = draw_budget(settings_, random);
    const torch::Tensor gates = model.gates->values(budget);
    const torch::Tensor total =
        task(model, forward(model.weights, batch, model.training(gates)), batch);
    if (!gates.defined()) return total;
    return total + budget_penalty(gates, budget, settings_.mass_weight, settings_.overshoot_weight);
  }
  Validation validate(const ElasticModel& model) override {
    Validation result = validate_budgets(model, validation_, budgets(),
                                         [&](double b) { return model.gates->values(b); });
    const GateParameters gates = model.gates->parameters();
    for (const double b : budgets())
      result.details.emplace_back(fmt::format("mass@{}", b), gates.mass(b));
    return result;
  }
};

class HardStage : public StageBase {
 public:
  using StageBase::StageBase;
  std::string name() const override { return "hard"; }
  void begin(ElasticModel start) override { teacher_ = std::move(start); }
  torch::Tensor loss(const ElasticModel& model, const Batch& batch, Random& random) override {
    const double budget = draw_budget(settings_, random);
    // Straight-through: the forward pass sees the 0/1 mask, the backward pass the soft gate.
    torch::Tensor mask = hard_mask(model, budget);
    if (mask.defined()) {
      const torch::Tensor gates = model.gates->values(budget);
      mask = mask + (gates - gates.detach());
    }
    const torch::Tensor logits = forward(model.weights, batch, model.training(mask));
    return distilled(model, logits,
                     teacher_logits(*teacher_, batch, teacher_->gates->values(budget)), batch);
  }
  Validation validate(const ElasticModel& model) override {
    return validate_budgets(model, validation_, budgets(),
                            [&](double b) { return hard_mask(model, b); });
  }

 private:
  std::optional<ElasticModel> teacher_;
};

class MaskedStage : public StageBase {
 public:
  MaskedStage(const StageSettings& settings, Selection selection,
              const std::vector<Batch>& validation)
      : StageBase(settings, validation), selection_(std::move(selection)) {}
  std::string name() const override { return "recovery"; }
  void begin(ElasticModel start) override { mask_ = mask_of(selection_, start.device()); }
  torch::Tensor loss(const ElasticModel& model, const Batch& batch, Random& /*random*/) override {
    return task(model, forward(model.weights, batch, model.training(mask_)), batch);
  }
  Validation validate(const ElasticModel& model) override {
    return validate_budgets(model, validation_, {selection_.active_fraction()},
                            [&](double) { return mask_; });
  }

 private:
  Selection selection_;
  torch::Tensor mask_;
};

class OrderedStage : public StageBase {
 public:
  OrderedStage(const StageSettings& settings, HeadOrder order, const std::vector<Batch>& validation)
      : StageBase(settings, validation), order_(std::move(order)) {}
  std::string name() const override { return "ordered"; }
  void begin(ElasticModel start) override { teacher_ = std::move(start); }
  torch::Tensor loss(const ElasticModel& model, const Batch& batch, Random& random) override {
    const double budget = draw_budget(settings_, random);
    const torch::Tensor logits =
        forward(model.weights, batch, model.training(mask_at(budget, model)));
    return distilled(model, logits, teacher_logits(*teacher_, batch, {}), batch);
  }
  Validation validate(const ElasticModel& model) override {
    return validate_budgets(model, validation_, budgets(),
                            [&](double b) { return mask_at(b, model); });
  }

 private:
  torch::Tensor mask_at(double budget, const ElasticModel& model) const {
    if (budget >= 1.0) return {};
    return mask_of(select_heads(order_, budget), model.device());
  }

  HeadOrder order_;
  std::optional<ElasticModel> teacher_;
};

}  // namespace

double draw_budget(const StageSettings& settings, Random& random) {
  if (settings.fixed_budget) return *settings.fixed_budget;
  if (random.uniform() < 0.5) {
    return settings.budget_low + (1.0 - settings.budget_low) * random.uniform();
  }
  return settings.budget_grid[random.below(settings.budget_grid.size())];
}

std::unique_ptr<Stage> dense_stage(const StageSettings& settings,
                                   const std::vector<Batch>& validation) {
  return std::make_unique<DenseStage>(settings, validation);
}

std::unique_ptr<Stage> head_dropout_stage(const StageSettings& settings, double probability,
                                          const std::vector<Batch>& validation) {
  return std::make_unique<HeadDropoutStage>(settings, probability, validation);
}

std::unique_ptr<Stage> soft_stage(const StageSettings& settings,
                                  const std::vector<Batch>& validation) {
  return std::make_unique<SoftStage>(settings, validation);
}

std::unique_ptr<Stage> hard_stage(const StageSettings& settings,
                                  const std::vector<Batch>& validation) {
  return std::make_unique<HardStage>(settings, validation);
}

std::unique_ptr<Stage> masked_stage(const StageSettings& settings, Selection selection,
                                    const std::vector<Batch>& validation) {
  return std::make_unique<MaskedStage>(settings, std::move(selection), validation);
}

std::unique_ptr<Stage> ordered_stage(const StageSettings& settings, HeadOrder order,
                                     const std::vector<Batch>& validation) {
  return std::make_unique<OrderedStage>(settings, std::move(order), validation);
}

}  // namespace train
}  // namespace headroom
