#include "train/evaluate.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "train/batches.h"

namespace headroom {

std::vector<Batch> evaluation_batches(const EncodedDataset& data, int batch_size,
                                      torch::Device device) {
  std::vector<int32_t> rows(static_cast<size_t>(data.size()));
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(),
                   [&](int32_t a, int32_t b) { return data.length(a) < data.length(b); });
  std::vector<Batch> batches;
  const std::span<const int32_t> all = rows;
  for (size_t begin = 0; begin < rows.size(); begin += static_cast<size_t>(batch_size)) {
    const size_t count = std::min(static_cast<size_t>(batch_size), rows.size() - begin);
    batches.push_back(make_batch(data, all.subspan(begin, count), device));
  }
  return batches;
}

Evaluation evaluate(const ModelWeights& weights, const std::vector<Batch>& batches,
                    const ForwardOptions& options) {
  const torch::InferenceMode inference;
  torch::Tensor correct;
  torch::Tensor loss;
  Evaluation result;
  for (const Batch& batch : batches) {
    const torch::Tensor logits = forward(weights, batch, options);
    const torch::Tensor hits = (logits.argmax(-1) == batch.labels).sum();
    const torch::Tensor sum =
        torch::cross_entropy_loss(logits, batch.labels, {}, torch::Reduction::Sum);
    correct = correct.defined() ? correct + hits : hits;
    loss = loss.defined() ? loss + sum : sum;
    result.examples += batch.size();
  }
  if (result.examples == 0) return result;
  result.accuracy = correct.item<double>() / static_cast<double>(result.examples);
  result.loss = loss.item<double>() / static_cast<double>(result.examples);
  return result;
}

}  // namespace headroom
