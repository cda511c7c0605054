// Accuracy of a model that chooses heads per input, and what it chose for every row.
#pragma once

#include <vector>

#include "model/controller.h"
#include "train/evaluate/evaluate.h"
#include "train/stages/elastic_model.h"

namespace headroom {
inline namespace train {

// Rows in the order of the batches; all tensors on the CPU.
struct ChoiceEvaluation {
  Evaluation total;
  torch::Tensor tokens;       // (N) lengths
  torch::Tensor labels;       // (N)
  torch::Tensor correct;      // (N) of 0 and 1
  torch::Tensor loss;         // (N)
  torch::Tensor share;        // (N, L): s
  torch::Tensor heads;        // (N, L): how many ran
  torch::Tensor entropy;      // (N, L): of q at the model's temperature, in nats
  torch::Tensor raw_entropy;  // (N, L): of softmax(z)

  std::vector<int64_t> lengths() const;
  std::vector<int64_t> heads_per_row() const;  // over all layers
};

enum class Execution {
  masked,   // every head computed, then set to zero: the reference
  skipped,  // only what was chosen (model/head_dispatch.h)
};

struct ChoiceOptions {
  double budget = 1;                       // caps the choice
  std::optional<double> temperature = {};  // of q; none: the model's
  ChoiceOverride override = {};
  Execution execution = Execution::masked;
};

ChoiceEvaluation evaluate_choice(const ElasticModel& model, const std::vector<Batch>& batches,
                                 const ChoiceOptions& options = {});

}  // namespace train
}  // namespace headroom
