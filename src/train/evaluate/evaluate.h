// Accuracy and loss of a model on stored rows.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/encoded.h"
#include "model/batch.h"
#include "model/forward.h"

namespace headroom {
inline namespace train {

struct Evaluation {
  double accuracy = 0;
  double loss = 0;
  int64_t examples = 0;  // labels, or tokens, that were predicted
  double quality = 0;    // what training maximises: accuracy, or one over the perplexity
  bool language = false;
};

// For the training log: "accuracy@0.5", or "perplexity@0.5" of a language model.
std::pair<std::string, double> log_entry(const Evaluation& result, double budget);

// All rows in batches of similar length, already on the device: made once, evaluated often.
std::vector<Batch> evaluation_batches(const EncodedDataset& data, int batch_size,
                                      torch::Device device);

Evaluation evaluate(const ModelWeights& weights, const std::vector<Batch>& batches,
                    const ForwardOptions& options);

}  // namespace train
}  // namespace headroom
