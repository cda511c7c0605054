#include "train/stages/adaptive.h"

#include <fmt/format.h>

#include <cmath>

#include "model/controller.h"
#include "train/evaluate/choice.h"
#include "train/stages/losses.h"
#include "train/stages/stages.h"

namespace headroom {
inline namespace train {
namespace {

torch::Tensor gumbel_like(const torch::Tensor& tensor) {
  return -torch::log(-torch::log(torch::rand_like(tensor).clamp(1e-6, 1 - 1e-6)));
}

class AdaptiveStage : public Stage {
 public:
  AdaptiveStage(StageSettings settings, AdaptiveSettings adaptive,
                const std::vector<Batch>& validation)
      : settings_(std::move(settings)), adaptive_(adaptive), validation_(validation) {}

  std::string name() const override { return "adaptive"; }

  void begin(ElasticModel start) override {
    if (adaptive_.distill_weight > 0) teacher_ = std::move(start);
  }

  void advance(double progress) override { progress_ = progress; }

  torch::Tensor loss(const ElasticModel& model, const Batch& batch, Random& random) override {
    const double budget = model.gates ? draw_budget(settings_, random) : 1.0;
    shares_.clear();
    log_relevance_.clear();
    const torch::Tensor gates = model.gates ? model.gates->values(budget) : torch::Tensor();
    const HeadLimit limit = model.head_limit(budget);
    const torch::Tensor hard = torch::rand({batch.size(), 1}, model.weights.words.options()) <
                               adaptive_.hard.at(progress_);
    ForwardOptions options = model.training();
    options.choose = [&](size_t layer, const torch::Tensor& x, const torch::Tensor& key_bias) {
      return factors(model, limit, gates, hard, layer, x, key_bias);
    };
    const torch::Tensor logits = forward(model.weights, batch, options);
    torch::Tensor total = task_loss(logits, batch.labels, settings_.label_smoothing);
    if (teacher_) total = follow_teacher(total, logits, batch);
    total = total + choice_penalty(shares_, log_relevance_, adaptive_, progress_);
    if (gates.defined()) {
      total =
          total + budget_penalty(gates, budget, settings_.mass_weight, settings_.overshoot_weight);
    }
    remember_shares();
    return total;
  }

  Validation validate(const ElasticModel& model) override {
    ChoiceOptions options;
    options.temperature = adaptive_.temperature.at(progress_);
    options.override = override();
    const ChoiceEvaluation result = evaluate_choice(model, validation_, options);
    Validation validation;
    validation.score = result.total.accuracy;
    auto& details = validation.details;
    details.emplace_back("progress", progress_);
    details.emplace_back("temperature", *options.temperature);
    details.emplace_back("s_mean", result.share.mean().item<double>());
    details.emplace_back("active_heads", result.heads.to(torch::kFloat64).mean().item<double>() /
                                             static_cast<double>(model.shape.heads));
    if (share_steps_ > 0)
      details.emplace_back("s_mean_train", share_sum_.mean().item<double>() / share_steps_);
    for (int64_t layer = 0; layer < model.shape.layers; ++layer) {
      const auto add = [&](const char* name, const torch::Tensor& column) {
        details.emplace_back(fmt::format("{}@{}", name, layer),
                             column.to(torch::kFloat64).mean().item<double>());
      };
      add("s", result.share.select(1, layer));
      add("heads", result.heads.select(1, layer));
      add("q_entropy", result.entropy.select(1, layer));
      add("z_entropy", result.raw_entropy.select(1, layer));
      if (share_steps_ > 0) {
        details.emplace_back(fmt::format("s_train@{}", layer),
                             share_sum_[layer].item<double>() / share_steps_);
      }
    }
    share_sum_ = torch::Tensor();
    share_steps_ = 0;
    return validation;
  }

 private:
  ChoiceOverride override() const {
    return {adaptive_.fixed_share, adaptive_.random_heads, adaptive_.heads_per_layer};
  }

  // One layer's (B, H) factors: hard for the examples in `hard`, soft for the others.
  torch::Tensor factors(const ElasticModel& model, const HeadLimit& limit,
                        const torch::Tensor& gates, const torch::Tensor& hard, size_t layer,
                        const torch::Tensor& x, const torch::Tensor& key_bias) {
    const auto H = static_cast<double>(limit.heads);
    const HeadRequest request = overruled(
        ask_controller(*model.weights.layers[layer].controller, x, key_bias), override(), layer);
    const double noise = adaptive_.noise.at(progress_);
    const torch::Tensor noisy =
        noise > 0 ? request.relevance + noise * gumbel_like(request.relevance) : request.relevance;
    const torch::Tensor log_q = torch::log_softmax(noisy / adaptive_.temperature.at(progress_), -1);
    torch::Tensor relevance = log_q.exp();
    torch::Tensor soft = (H * request.share.unsqueeze(-1) * relevance).clamp_max(1.0);
    if (gates.defined()) {
      const torch::Tensor layer_gates = gates[static_cast<int64_t>(layer)];
      relevance = relevance * layer_gates;
      soft = soft * layer_gates;
    }
    shares_.push_back(request.share);
    log_relevance_.push_back(log_q);
    const double p = adaptive_.hard.at(progress_);
    if (p <= 0) return soft;
    const torch::Tensor counts =
        heads_needed(request.share, limit.heads).clamp_max(limit.most[layer]);
    // Straight-through: forwards the chosen heads, backwards the soft factors.
    const torch::Tensor whole = mask_of_best(relevance, counts) + (soft - soft.detach());
    return p >= 1 ? whole : torch::where(hard, whole, soft);
  }

  torch::Tensor follow_teacher(const torch::Tensor& task, const torch::Tensor& logits,
                               const Batch& batch) const {
    const double r = adaptive_.distill_weight;
    torch::Tensor target;
    {
      const torch::NoGradGuard no_gradients;
      target = forward(teacher_->weights, batch, teacher_->evaluation());
    }
    return (1 - r) * task + r * distillation_loss(logits, target, settings_.temperature);
  }

  // For the log: the mean s of every layer since the last validation.
  void remember_shares() {
    const torch::Tensor row = torch::stack(shares_).detach().mean(1);
    share_sum_ = share_sum_.defined() ? share_sum_ + row : row;
    ++share_steps_;
  }

  StageSettings settings_;
  AdaptiveSettings adaptive_;
  const std::vector<Batch>& validation_;
  std::optional<ElasticModel> teacher_;
  double progress_ = 0;
  std::vector<torch::Tensor> shares_;         // of the step under way, per layer
  std::vector<torch::Tensor> log_relevance_;  // likewise
  torch::Tensor share_sum_;                   // (L)
  int64_t share_steps_ = 0;
};

}  // namespace

torch::Tensor choice_penalty(const std::vector<torch::Tensor>& shares,
                             const std::vector<torch::Tensor>& log_relevance,
                             const AdaptiveSettings& settings, double progress) {
  const torch::Tensor s = torch::stack(shares);             // (L, B)
  const torch::Tensor log_q = torch::stack(log_relevance);  // (L, B, H)
  const torch::Tensor entropy = -(log_q.exp() * log_q).sum(-1).mean();
  const torch::Tensor outside =
      (torch::relu(settings.share_low - s) + torch::relu(s - settings.share_high)).mean();
  return settings.hinge_weight * outside + settings.share_weight.at(progress) * s.mean() -
         settings.entropy_weight.at(progress) * entropy;
}

std::unique_ptr<Stage> adaptive_stage(const StageSettings& settings,
                                      const AdaptiveSettings& adaptive,
                                      const std::vector<Batch>& validation) {
  return std::make_unique<AdaptiveStage>(settings, adaptive, validation);
}

void set_initial_share(ModelWeights& weights, double share) {
  const torch::NoGradGuard no_gradients;
  for (LayerWeights& layer : weights.layers) {
    layer.controller->budget.bias.fill_(std::log(share / (1 - share)));
  }
}

}  // namespace train
}  // namespace headroom
