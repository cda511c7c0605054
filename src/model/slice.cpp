#include "model/slice.h"

namespace headroom {
namespace {

// Row (or column) numbers of the kept heads: head h owns [h * W, (h + 1) * W).
torch::Tensor unit_indices(const std::vector<int32_t>& heads, int64_t head_width,
                           torch::Device device) {
  std::vector<int64_t> indices;
  for (const int32_t head : heads) {
    for (int64_t i = 0; i < head_width; ++i) indices.push_back(head * head_width + i);
  }
  return torch::tensor(indices, torch::kInt64).to(device);
}

Linear keep_rows(const Linear& linear, const torch::Tensor& rows) {
  return {linear.weight.index_select(0, rows), linear.bias.index_select(0, rows)};
}

}  // namespace

torch::Tensor mask_of(const HeadSelection& selection, torch::Device device) {
  torch::Tensor mask = torch::zeros({selection.layers(), selection.heads});
  for (int64_t layer = 0; layer < selection.layers(); ++layer) {
    for (const int32_t head : selection.kept[static_cast<size_t>(layer)]) {
      mask.index_put_({layer, head}, 1.0F);
    }
  }
  return mask.to(device);
}

ModelWeights slice_heads(const ModelWeights& weights, const HeadSelection& selection,
                         const torch::Tensor& scale) {
  const torch::NoGradGuard no_gradients;
  ModelWeights sliced = copy_weights(weights);
  for (size_t i = 0; i < sliced.layers.size(); ++i) {
    AttentionWeights& layer = sliced.layers[i].attention;
    const std::vector<int32_t>& kept = selection.kept[i];
    const int64_t W = layer.head_width();
    const torch::Tensor rows = unit_indices(kept, W, layer.query.weight.device());
    layer.query = keep_rows(layer.query, rows);
    layer.key = keep_rows(layer.key, rows);
    layer.value = keep_rows(layer.value, rows);
    if (scale.defined()) {
      const torch::Tensor factors = scale[static_cast<int64_t>(i)].detach().repeat_interleave(W);
      layer.output.weight = layer.output.weight * factors;
    }
    layer.output.weight = layer.output.weight.index_select(1, rows).contiguous();
    layer.heads = static_cast<int64_t>(kept.size());
  }
  return sliced;
}

}  // namespace headroom
