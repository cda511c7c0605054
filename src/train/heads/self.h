// A model as its own teacher: no labels, answers compared with what it said before.
#pragma once

#include <memory>

#include "train/heads/objective.h"

namespace headroom {
inline namespace train {

// The loss is drawn_loss() (train/heads/drawn_loss.h), distillation that of the model's task, and
// what is measured is how alike answers on `rows` are to those of `teacher`, a dense model whose
// config is `config` (data/agreement.h). `rows` must outlive it.
std::shared_ptr<const Objective> self_objective(const ModelConfig& config,
                                                const ModelWeights& teacher,
                                                const ForwardOptions& options,
                                                const EncodedDataset& rows);

}  // namespace train
}  // namespace headroom
