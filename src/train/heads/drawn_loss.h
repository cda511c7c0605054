// What a model loses against answers drawn from its own outputs: how heads and neurons are ranked
// where nobody labelled the rows.
#pragma once

#include "base/task.h"
#include "model/batch.h"

namespace headroom {
inline namespace train {

// The mean loss of `outputs`, which forward() gave for the batch of a model of `task`, towards
// targets drawn from what they say: a class or a tag from its probabilities, a 0 or 1 for each of
// several labels, a number with noise, a random direction of a vector. Its squared gradient is the
// curvature (Fisher information) of distillation where a student is its teacher; the gradient of
// distillation itself is 0 there. Draws from torch's generator.
torch::Tensor drawn_loss(Task task, const torch::Tensor& outputs, const Batch& batch);

}  // namespace train
}  // namespace headroom
