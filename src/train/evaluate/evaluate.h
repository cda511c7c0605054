// Accuracy and loss of a model on stored rows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/encoded.h"
#include "train/heads/objective.h"

namespace headroom {
inline namespace train {

// For the training log: "accuracy@0.5", "perplexity@0.5" of a language model, "f1@0.5" of a tagger.
std::pair<std::string, double> log_entry(const Evaluation& result, double budget);

// All rows in batches of similar length, already on the device: made once, evaluated often. Where
// rows have other targets than one label, `data` must outlive the batches.
std::vector<Batch> evaluation_batches(const EncodedDataset& data, int batch_size,
                                      torch::Device device);
// In batches of a size that suits the device.
std::vector<Batch> evaluation_batches(const EncodedDataset& data, torch::Device device);

// Of a model with one label a row, or of a language model.
Evaluation evaluate(const ModelWeights& weights, const std::vector<Batch>& batches,
                    const ForwardOptions& options);

}  // namespace train
}  // namespace headroom
