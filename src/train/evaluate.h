// Accuracy and loss of a model on stored rows.
#pragma once

#include <vector>

#include "data/encoded.h"
#include "model/batch.h"
#include "model/forward.h"

namespace headroom {

struct Evaluation {
  double accuracy = 0;
  double loss = 0;
  int64_t examples = 0;
};

// All rows in batches of similar length, already on the device: made once, evaluated often.
std::vector<Batch> evaluation_batches(const EncodedDataset& data, int batch_size,
                                      torch::Device device);

Evaluation evaluate(const ModelWeights& weights, const std::vector<Batch>& batches,
                    const ForwardOptions& options);

}  // namespace headroom
