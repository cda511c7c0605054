// Hard selections in two equivalent forms: as 0/1 gates over the full model (the reference), and as
// a physically smaller model that never computes the other heads.
#pragma once

#include "budget/selection.h"
#include "model/weights.h"

namespace headroom {

// (L, H) of 0 and 1 on `device`.
torch::Tensor mask_of(const HeadSelection& selection, torch::Device device);

// A model with only the selected heads. `scale` (L, H) or undefined: factors folded into the output
// projection, for soft gates; a hard selection needs none.
ModelWeights slice_heads(const ModelWeights& weights, const HeadSelection& selection,
                         const torch::Tensor& scale = {});

}  // namespace headroom
