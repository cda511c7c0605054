#include "model/slice.h"

namespace headroom {
namespace {

// Row (or column) numbers of the given heads: head h owns [h * W, (h + 1) * W).
template <typename Number>
torch::Tensor head_rows(const std::vector<Number>& heads, int64_t head_width,
                        torch::Device device) {
  std::vector<int64_t> indices;
  for (const auto head : heads) {
    for (int64_t i = 0; i < head_width; ++i) indices.push_back(head * head_width + i);
  }
  return torch::tensor(indices, torch::kInt64).to(device);
}

Linear keep_rows(const Linear& linear, const torch::Tensor& rows) {
  return {linear.weight.index_select(0, rows), linear.bias.index_select(0, rows)};
}

Linear first_rows(const Linear& linear, int64_t count) {
  return {linear.weight.narrow(0, 0, count), linear.bias.narrow(0, 0, count)};
}

void permute_rows(Linear& linear, const torch::Tensor& rows) {
  linear.weight.copy_(linear.weight.index_select(0, rows));
  linear.bias.copy_(linear.bias.index_select(0, rows));
}

void permute_columns(Linear& linear, const torch::Tensor& columns) {
  linear.weight.copy_(linear.weight.index_select(1, columns));
}

}  // namespace

torch::Tensor mask_of(const Selection& selection, torch::Device device) {
  torch::Tensor mask = torch::zeros({selection.layers(), selection.heads});
  for (int64_t layer = 0; layer < selection.layers(); ++layer) {
    for (const int32_t head : selection.kept[static_cast<size_t>(layer)]) {
      mask.index_put_({layer, head}, 1.0F);
    }
  }
  return mask.to(device);
}

torch::Tensor ffn_mask_of(const Selection& selection, int64_t ffn, torch::Device device) {
  torch::Tensor mask = torch::zeros({selection.layers(), ffn});
  for (int64_t layer = 0; layer < selection.layers(); ++layer) {
    mask[layer].narrow(0, 0, selection.ffn_of(layer, ffn)).fill_(1.0F);
  }
  return mask.to(device);
}

ModelWeights slice_model(const ModelWeights& weights, const Selection& selection,
                         const torch::Tensor& scale) {
  const torch::NoGradGuard no_gradients;
  ModelWeights sliced = weights;
  for (size_t i = 0; i < sliced.layers.size(); ++i) {
    AttentionWeights& layer = sliced.layers[i].attention;
    const std::vector<int32_t>& kept = selection.kept[i];
    const int64_t W = layer.head_width();
    const torch::Tensor rows = head_rows(kept, W, layer.query.weight.device());
    layer.query = keep_rows(layer.query, rows);
    layer.key = keep_rows(layer.key, rows);
    layer.value = keep_rows(layer.value, rows);
    if (scale.defined()) {
      const torch::Tensor factors = scale[static_cast<int64_t>(i)].detach().repeat_interleave(W);
      layer.output.weight = layer.output.weight * factors;
    }
    layer.output.weight = layer.output.weight.index_select(1, rows).contiguous();
    layer.heads = static_cast<int64_t>(kept.size());

    Linear& up = sliced.layers[i].up;
    Linear& down = sliced.layers[i].down;
    const int64_t F = selection.ffn_of(static_cast<int64_t>(i), up.weight.size(0));
    up = first_rows(up, F);
    down.weight = down.weight.narrow(1, 0, F).contiguous();
  }
  return copy_weights(sliced);
}

ModelWeights prefix_view(const ModelWeights& weights, const Selection& selection) {
  ModelWeights view = weights;
  for (size_t i = 0; i < view.layers.size(); ++i) {
    AttentionWeights& layer = view.layers[i].attention;
    const auto heads = static_cast<int64_t>(selection.kept[i].size());
    TORCH_CHECK(heads == 0 || selection.kept[i].back() == heads - 1,
                "prefix_view() needs each layer's first heads");
    const int64_t rows = heads * layer.head_width();
    layer.query = first_rows(layer.query, rows);
    layer.key = first_rows(layer.key, rows);
    layer.value = first_rows(layer.value, rows);
    layer.output.weight = layer.output.weight.narrow(1, 0, rows);
    layer.heads = heads;

    Linear& up = view.layers[i].up;
    Linear& down = view.layers[i].down;
    const int64_t F = selection.ffn_of(static_cast<int64_t>(i), up.weight.size(0));
    up = first_rows(up, F);
    down.weight = down.weight.narrow(1, 0, F);
  }
  return view;
}

void reorder_units(ModelWeights& weights, const UnitPermutation& permutation) {
  const torch::NoGradGuard no_gradients;
  for (size_t i = 0; i < weights.layers.size(); ++i) {
    LayerWeights& layer = weights.layers[i];
    const torch::Device device = layer.up.weight.device();
    const torch::Tensor rows =
        head_rows(permutation.heads[i], layer.attention.head_width(), device);
    permute_rows(layer.attention.query, rows);
    permute_rows(layer.attention.key, rows);
    permute_rows(layer.attention.value, rows);
    permute_columns(layer.attention.output, rows);
    const torch::Tensor neurons = torch::tensor(permutation.neurons[i], torch::kInt64).to(device);
    permute_rows(layer.up, neurons);
    permute_columns(layer.down, neurons);
  }
}

}  // namespace headroom
