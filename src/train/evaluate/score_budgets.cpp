#include "train/evaluate/score_budgets.h"

#include "model/slice.h"
#include "train/evaluate/choice.h"
#include "train/evaluate/evaluate.h"
#include "train/tasks/tasks.h"

namespace headroom {
inline namespace train {
namespace {

constexpr int batch_size_cpu = 64;  // 64 x 64 tokens of width 256 stay inside L2 and L3
constexpr int batch_size_gpu = 512;

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
                                       const Tokenizer* tokenizer) {
  const int batch_size = model.device().is_cuda() ? batch_size_gpu : batch_size_cpu;
  const std::vector<Batch> batches = evaluation_batches(data, batch_size, model.device());
  std::vector<int64_t> lengths;
  for (const int32_t length : data.lengths()) lengths.push_back(length);
  std::vector<BudgetScore> scores;
  const auto set_measure = definition(config.task).set_measure;
  for (const double budget : budgets) {
    if (config.adaptive()) {
      scores.push_back(score_choice(model, batches, budget));
      continue;
    }
    const Selection selection = config.selection(budget);
    const ModelWeights sliced = slice_model(model.weights, selection);
    const Evaluation result = evaluate(sliced, batches, model.evaluation());
    BudgetScore score = cost_score(config.shape, selection, budget, lengths);
    score.accuracy = result.accuracy;
    score.loss = result.loss;
    score.examples = result.examples;
    if (set_measure != nullptr) set_measure(score, model, data, tokenizer);
    scores.push_back(score);
  }
  return scores;
}

}  // namespace train
}  // namespace headroom
