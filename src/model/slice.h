// Hard selections in equivalent forms: as 0/1 gates over the full model (the reference), and as a
// physically smaller model that never computes the rest.
#pragma once

#include <vector>

#include "budget/selection.h"
#include "model/weights.h"

namespace headroom {

// (L, H) of 0 and 1 on `device`.
torch::Tensor mask_of(const Selection& selection, torch::Device device);
// (L, F) of 0 and 1.
torch::Tensor ffn_mask_of(const Selection& selection, int64_t ffn, torch::Device device);

// A model with only the selected units, sharing nothing with the original. `scale` (L, H) or
// undefined: factors folded into the output projection, for soft gates; a hard selection needs
// none.
ModelWeights slice_model(const ModelWeights& weights, const Selection& selection,
                         const torch::Tensor& scale = {});

// One layer's attention with only these heads.
AttentionWeights slice_attention(const AttentionWeights& attention,
                                 const std::vector<int32_t>& heads);

// What slice_model() undoes: a model of `shape` whose other units are zeros, from one that holds
// only those of `selection`.
ModelWeights expand_model(const ModelWeights& sliced, const ModelShape& shape,
                          const Selection& selection);

// The same as views, for selections that keep each layer's first heads: gradients flow back into
// `weights`, nothing is copied.
ModelWeights prefix_view(const ModelWeights& weights, const Selection& selection);

// Which head, and which neuron, of a layer comes first, second, ...: per layer a permutation.
struct UnitPermutation {
  std::vector<std::vector<int64_t>> heads;
  std::vector<std::vector<int64_t>> neurons;
};

// Rearranges heads and neurons in place. The model computes the same function. Heads that read
// columns of the input (heads_can_move()) must stay where they are.
void reorder_units(ModelWeights& weights, const UnitPermutation& permutation);

}  // namespace headroom
