#include "train/heads/row_outputs.h"

namespace headroom {
inline namespace train {
namespace {

// `answers` has a row for each text, or for each token of each text.
void take_rows(const Batch& batch, const torch::Tensor& answers, RowOutputs& rows) {
  const torch::Tensor cpu =
      answers.to(torch::kCPU, torch::kFloat32).reshape({batch.size(), -1}).contiguous();
  const int64_t width = cpu.size(1);
  const auto B = static_cast<int64_t>(batch.rows.size());
  for (int64_t i = 0; i < batch.size(); ++i) {
    const auto* values = cpu.data_ptr<float>() + i * width;
    std::vector<float>& row = rows[static_cast<size_t>(batch.rows[static_cast<size_t>(i % B)])];
    row.insert(row.end(), values, values + width);
  }
}

}  // namespace

RowOutputs row_outputs(const std::vector<Batch>& batches,
                       const std::function<torch::Tensor(const Batch&)>& answer) {
  const torch::InferenceMode inference;
  if (batches.empty()) return {};
  size_t count = 0;
  for (const Batch& batch : batches) count += batch.rows.size();
  RowOutputs rows(count);
  for (const Batch& batch : batches) take_rows(batch, answer(batch), rows);
  return rows;
}

Evaluation RowObjective::evaluate(const ModelWeights& weights, const std::vector<Batch>& batches,
                                  const ForwardOptions& options,
                                  const ScoreCalibration& calibration) const {
  Evaluation result;
  if (batches.empty()) return result;
  TORCH_CHECK(batches[0].source != nullptr, "batches to be measured need the set they come from");
  result.outputs = row_outputs(batches, [&](const Batch& batch) {
    return answers(calibrate(forward(weights, batch, options), batch, calibration));
  });
  Measured measured = measure(*batches[0].source, result.outputs);
  result.loss = measured.loss;
  result.examples = measured.examples;
  result.quality = measured.values.empty() ? 0 : measured.values[0].value;
  result.measures = std::move(measured.values);
  return result;
}

}  // namespace train
}  // namespace headroom
