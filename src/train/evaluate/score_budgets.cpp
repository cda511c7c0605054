#include "train/evaluate/score_budgets.h"

#include <algorithm>

#include "data/measures.h"
#include "model/slice.h"
#include "train/evaluate/choice.h"
#include "train/evaluate/evaluate.h"
#include "train/heads/rung_zero.h"
#include "train/tasks/tasks.h"

namespace headroom {
inline namespace train {
namespace {

BudgetScore score_choice(const ElasticModel& model, const std::vector<Batch>& batches,
                         double budget) {
  ChoiceOptions options;
  options.budget = budget;
  options.execution = Execution::skipped;
  const ChoiceEvaluation result = evaluate_choice(model, batches, options);
  BudgetScore score = choice_score(model.shape, budget, result.heads_per_row(), result.lengths());
  score.accuracy = result.total.accuracy;
  score.loss = result.total.loss;
  score.examples = result.total.examples;
  return score;
}

}  // namespace

std::vector<BudgetScore> score_budgets(const ElasticModel& model, const ModelConfig& config,
                                       const EncodedDataset& data,
                                       const std::vector<double>& budgets,
                                       const Tokenizer* tokenizer, const StoredPolicy& policy) {
  std::vector<Batch> batches = evaluation_batches(data, model.device());
  const bool blends = policy.policy && policy.policy->blends();
  const auto objective = blends ? label_objective(policy) : model.objective;
  if (blends) {
    for (Batch& batch : batches) batch.source = &data;
  }
  const std::vector<int64_t> lengths = text_lengths(data);
  std::vector<BudgetScore> scores;
  std::vector<RowOutputs> outputs;
  const auto set_measure = definition(config.task).set_measure;
  for (const double budget : budgets) {
    if (config.adaptive()) {
      scores.push_back(score_choice(model, batches, budget));
      continue;
    }
    const Selection selection = config.selection(budget);
    const ModelWeights sliced = slice_model(model.weights, selection);
    Evaluation result = objective->evaluate(sliced, batches, model.evaluation(),
                                            calibration_of(policy, config, budget));
    BudgetScore score = cost_score(config.shape, selection, budget, lengths);
    score.accuracy = result.accuracy;
    score.loss = result.loss;
    score.examples = result.examples;
    if (set_measure != nullptr) set_measure(score, model, data, tokenizer);
    if (!result.measures.empty()) {
      score.measure = Measure::named;
      score.measures = std::move(result.measures);
    }
    outputs.push_back(std::move(result.outputs));
    scores.push_back(score);
  }
  const auto full = std::find_if(budgets.begin(), budgets.end(), [](double b) { return b >= 1; });
  for (size_t i = 0; i < outputs.size() && full != budgets.end(); ++i) {
    if (outputs[i].empty()) continue;
    add_agreement(config.task, outputs[i], outputs[static_cast<size_t>(full - budgets.begin())],
                  scores[i].measures);
  }
  return scores;
}

}  // namespace train
}  // namespace headroom
