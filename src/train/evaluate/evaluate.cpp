#include "train/evaluate/evaluate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "train/rows/batches.h"

namespace headroom {
inline namespace train {

std::vector<Batch> evaluation_batches(const EncodedDataset& data, int batch_size,
                                      torch::Device device) {
  const std::vector<int32_t> rows = data.rows_by_length();
  std::vector<Batch> batches;
  const std::span<const int32_t> all = rows;
  for (size_t begin = 0; begin < rows.size(); begin += static_cast<size_t>(batch_size)) {
    const size_t count = std::min(static_cast<size_t>(batch_size), rows.size() - begin);
    batches.push_back(make_batch(data, all.subspan(begin, count), device));
  }
  return batches;
}

std::pair<std::string, double> log_entry(const Evaluation& result, double budget) {
  return result.language ? std::pair(fmt::format("perplexity@{}", budget), std::exp(result.loss))
                         : std::pair(fmt::format("accuracy@{}", budget), result.accuracy);
}

Evaluation evaluate(const ModelWeights& weights, const std::vector<Batch>& batches,
                    const ForwardOptions& options) {
  const torch::InferenceMode inference;
  torch::Tensor correct;
  torch::Tensor loss;
  torch::Tensor examples;
  Evaluation result;
  for (const Batch& batch : batches) {
    const torch::Tensor logits = forward(weights, batch, options);
    const torch::Tensor hits = (logits.argmax(-1) == batch.labels).sum();
    const torch::Tensor sum =
        torch::cross_entropy_loss(logits, batch.labels, {}, torch::Reduction::Sum);
    correct = correct.defined() ? correct + hits : hits;
    loss = loss.defined() ? loss + sum : sum;
    const torch::Tensor count = (batch.labels >= 0).sum();
    examples = examples.defined() ? examples + count : count;
  }
  result.examples = examples.defined() ? examples.item<int64_t>() : 0;
  if (result.examples == 0) return result;
  result.accuracy = correct.item<double>() / static_cast<double>(result.examples);
  result.loss = loss.item<double>() / static_cast<double>(result.examples);
  result.language = weights.head == OutputHead::language;
  result.quality = result.language ? std::exp(-result.loss) : result.accuracy;
  return result;
}

}  // namespace train
}  // namespace headroom
