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
  const bool measured = !data.tags.empty() || data.values_a_row > 0 || !data.partners.empty();
  std::vector<Batch> batches;
  const std::span<const int32_t> all = rows;
  for (size_t begin = 0; begin < rows.size(); begin += static_cast<size_t>(batch_size)) {
    const size_t count = std::min(static_cast<size_t>(batch_size), rows.size() - begin);
    batches.push_back(make_batch(data, all.subspan(begin, count), device));
    if (measured) batches.back().source = &data;
  }
  return batches;
}

std::vector<Batch> evaluation_batches(const EncodedDataset& data, torch::Device device) {
  // On a CPU 64 x 64 tokens of width 256 stay inside L2 and L3.
  return evaluation_batches(data, device.is_cuda() ? 512 : 64, device);
}

std::pair<std::string, double> log_entry(const Evaluation& result, double budget) {
  if (!result.measures.empty()) {
    return {fmt::format("{}@{}", result.measures[0].name, budget), result.measures[0].value};
  }
  return result.language ? std::pair(fmt::format("perplexity@{}", budget), std::exp(result.loss))
                         : std::pair(fmt::format("accuracy@{}", budget), result.accuracy);
}

Evaluation evaluate(const ModelWeights& weights, const std::vector<Batch>& batches,
                    const ForwardOptions& options) {
  return label_objective()->evaluate(weights, batches, options, {});
}

}  // namespace train
}  // namespace headroom
