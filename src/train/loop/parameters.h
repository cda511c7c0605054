// All trainable numbers of a model in a few flat buffers: the model's tensors become views into
// them. One buffer makes the optimiser one pass over memory, the gradient norm one reduction, and
// a training state three tensors.
#pragma once

#include <string>
#include <vector>

#include "train/stages/elastic_model.h"

namespace headroom {
inline namespace train {

// Parameters that share a learning-rate factor and weight decay.
struct ParameterGroup {
  std::string name;  // "matrices", "vectors", "controllers", "gates"
  double rate_factor = 1.0;
  double weight_decay = 0.0;
  torch::Tensor values;                     // flat; the model's tensors are views of it
  torch::Tensor gradient;                   // flat; their gradients are views of it
  torch::Tensor mean;                       // AdamW's first moment
  torch::Tensor square;                     // AdamW's second moment
  std::vector<torch::Tensor> tensors = {};  // the model's, in their order in `values`
};

struct ParameterSettings {
  double weight_decay = 0.01;      // on matrices; biases, norms, gates and controllers have none
  double gate_rate_factor = 10.0;  // gates learn this much faster than weights
  double controller_rate_factor = 10.0;  // and what chooses heads, as much
};

class Parameters {
 public:
  // Rewires `model` so that its tensors view this object's buffers; keep both alive together.
  Parameters(ElasticModel& model, const ParameterSettings& settings);

  std::vector<ParameterGroup>& groups() { return groups_; }
  void zero_gradients();
  void reset_moments();

  // All values as one tensor per group, copied; and back.
  std::vector<torch::Tensor> snapshot() const;
  void restore(const std::vector<torch::Tensor>& values);

 private:
  void add_group(std::string name, double rate_factor, double weight_decay,
                 const std::vector<torch::Tensor*>& tensors);

  std::vector<ParameterGroup> groups_;
};

}  // namespace train
}  // namespace headroom
