// Masked-language-model pretraining (Devlin et al., arXiv 1810.04805): predict hidden tokens.
#pragma once

#include <memory>
#include <vector>

#include "train/pretraining/pretraining_stage.h"

namespace headroom {
inline namespace train {

// Validates on the same masks every time; the score is the share of hidden tokens predicted right.
std::unique_ptr<Stage> masked_lm_stage(const PretrainingSettings& settings,
                                       const std::vector<Batch>& validation);

}  // namespace train
}  // namespace headroom
