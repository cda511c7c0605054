// A head whose outputs are measured row by row, by the same functions as those of the native
// engine (data/measures.h).
#pragma once

#include <functional>

#include "train/heads/objective.h"

namespace headroom {
inline namespace train {

class RowObjective : public Objective {
 public:
  using Objective::evaluate;
  Evaluation evaluate(const ModelWeights& weights, const std::vector<Batch>& batches,
                      const ForwardOptions& options,
                      const ScoreCalibration& calibration) const override;

 protected:
  // What a calibration makes of the outputs.
  virtual torch::Tensor calibrate(const torch::Tensor& outputs, const Batch& /*batch*/,
                                  const ScoreCalibration& calibration) const {
    return calibrated(outputs, calibration);
  }
  // What forward() gave as an answer says it: probabilities, numbers.
  virtual torch::Tensor answers(const torch::Tensor& outputs) const = 0;
  virtual Measured measure(const EncodedDataset& rows, const RowOutputs& outputs) const = 0;
};

// Forward passes over the batches, which hold every row of a set: each row's answers at its number
// there.
RowOutputs row_outputs(const std::vector<Batch>& batches,
                       const std::function<torch::Tensor(const Batch&)>& answer);

}  // namespace train
}  // namespace headroom
