#include "train/score_budgets.h"

#include "model/slice.h"
#include "train/evaluate.h"

namespace headroom {
namespace {

constexpr int batch_size_cpu = 64;  // 64 x 64 tokens of width 256 stay inside L2 and L3
constexpr int batch_size_gpu = 512;

}  // namespace

std::vector<BudgetScore> score_budgets(const ElasticModel& model, const ModelConfig& config,
                                       const EncodedDataset& data,
                                       const std::vector<double>& budgets) {
  const int batch_size = model.device().is_cuda() ? batch_size_gpu : batch_size_cpu;
  const std::vector<Batch> batches = evaluation_batches(data, batch_size, model.device());
  std::vector<int64_t> lengths;
  for (const int32_t length : data.lengths()) lengths.push_back(length);
  std::vector<BudgetScore> scores;
  for (const double budget : budgets) {
    const Selection selection = config.selection(budget);
    const ModelWeights sliced = slice_model(model.weights, selection);
    const Evaluation result = evaluate(sliced, batches, model.evaluation());
    BudgetScore score = cost_score(config.shape, selection, budget, lengths);
    score.accuracy = result.accuracy;
    score.loss = result.loss;
    score.examples = result.examples;
    scores.push_back(score);
  }
  return scores;
}

}  // namespace headroom
