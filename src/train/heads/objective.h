// What a model is trained towards and judged by: the loss of its head, how a smaller budget follows
// a larger one, and the measures of its task. One file of this folder a head.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/config.h"
#include "data/measures.h"
#include "model/batch.h"
#include "model/forward.h"

namespace headroom {
struct StoredPolicy;
inline namespace train {

struct Evaluation {
  double accuracy = 0;
  double loss = 0;
  int64_t examples = 0;  // labels, or tokens, that were predicted
  double quality = 0;    // what training maximises: accuracy, one over the perplexity, F1, ...
  bool language = false;
  std::vector<NamedMeasure> measures = {};  // of tasks other than one label a row, and what
  RowOutputs outputs = {};                  // they were computed from
  std::vector<bool> correct = {};  // with one label a row: of each, in the order of the batches
};

class Objective {
 public:
  virtual ~Objective() = default;

  // `outputs` is what forward() gave for the batch; the mean over what is predicted.
  virtual torch::Tensor loss(const torch::Tensor& outputs, const Batch& batch,
                             double label_smoothing) const = 0;

  // How far a student is from its teacher, whose outputs get no gradient.
  virtual torch::Tensor distillation(const torch::Tensor& student, const torch::Tensor& teacher,
                                     const Batch& batch, double temperature) const = 0;

  // `calibration` changes logits and numbers before they become answers.
  virtual Evaluation evaluate(const ModelWeights& weights, const std::vector<Batch>& batches,
                              const ForwardOptions& options,
                              const ScoreCalibration& calibration) const = 0;
  Evaluation evaluate(const ModelWeights& weights, const std::vector<Batch>& batches,
                      const ForwardOptions& options) const {
    return evaluate(weights, batches, options, {});
  }
};

// One label a row, and every token of a language model.
std::shared_ptr<const Objective> label_objective();
// Judged with what the policy's rung zero says, of batches that know their set; the policy outlives
// it.
std::shared_ptr<const Objective> label_objective(const StoredPolicy& policy);
std::shared_ptr<const Objective> tag_objective(std::vector<std::string> labels);
// Without thresholds, scored at the best ones for the rows at hand.
std::shared_ptr<const Objective> multilabel_objective(std::vector<double> thresholds);
// Outputs are numbers from which `mean` was taken and that were divided by `scale`.
std::shared_ptr<const Objective> number_objective(double mean, double scale);
// With `lexical`, scores contain BM25 as far as the calibration says.
std::shared_ptr<const Objective> rank_objective(std::optional<TokenBm25> lexical = {});
// `widths`: of the prefixes of a vector that each must do on their own.
std::shared_ptr<const Objective> vector_objective(std::vector<int64_t> widths);

// Of a finished model.
std::shared_ptr<const Objective> objective_of(const ModelConfig& config);

// z / temperature + offset; the same tensor where that changes nothing.
torch::Tensor calibrated(const torch::Tensor& outputs, const ScoreCalibration& calibration);

std::vector<bool> truths(const torch::Tensor& flags);  // a flat tensor of them, on any device

// The prefixes that vectors are trained for: all, a half and a quarter of the dimensions.
std::vector<int64_t> vector_widths(int64_t width);

}  // namespace train
}  // namespace headroom
