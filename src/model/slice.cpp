#include "model/slice.h"

#include "model/upload.h"

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

// Calls `change` for a matrix and its bias, where there is one.
template <typename Change>
Linear changed(const Linear& linear, const Change& change) {
  return {change(linear.weight), linear.bias.defined() ? change(linear.bias) : linear.bias};
}

Linear keep_rows(const Linear& linear, const torch::Tensor& rows) {
  return changed(linear, [&](const torch::Tensor& all) { return all.index_select(0, rows); });
}

Linear first_rows(const Linear& linear, int64_t count) {
  return changed(linear, [&](const torch::Tensor& all) { return all.narrow(0, 0, count); });
}

// Applies `keep` to the matrices whose rows are a layer's neurons.
template <typename Keep>
void for_each_neuron_input(LayerWeights& layer, const Keep& keep) {
  keep(layer.up);
  if (layer.gate.weight.defined()) keep(layer.gate);
}

// Applies `keep` to every projection of the input that there is.
template <typename Keep>
void for_each_input(AttentionWeights& layer, const Keep& keep) {
  keep(layer.query);
  if (has_key_projection(layer.kind)) keep(layer.key);
  if (has_value_projection(layer.kind)) keep(layer.value);
  if (layer.relative_key.weight.defined()) keep(layer.relative_key);
  if (layer.relative_query.weight.defined()) keep(layer.relative_query);
}

// What the heads at `rows` read of the input, when they read it themselves.
torch::Tensor columns_at(const AttentionWeights& layer, const torch::Tensor& rows) {
  if (heads_can_move(layer.kind)) return {};
  return layer.columns.defined() ? layer.columns.index_select(0, rows) : rows;
}

// `numbers` of all those heads, where they are needed.
torch::Tensor numbers_at(const AttentionWeights& layer, const torch::Tensor& heads) {
  if (!layer.relative) return {};
  return layer.numbers.defined() ? layer.numbers.index_select(0, heads) : heads;
}

// A matrix of `rows` rows, zeros but for `indices`.
Linear spread_rows(const Linear& linear, const torch::Tensor& indices, int64_t rows) {
  return changed(linear, [&](const torch::Tensor& some) {
    std::vector<int64_t> sizes = some.sizes().vec();
    sizes[0] = rows;
    return torch::zeros(sizes, some.options()).index_copy(0, indices, some);
  });
}

void spread_columns(Linear& linear, const torch::Tensor& indices, int64_t columns) {
  linear.weight = torch::zeros({linear.weight.size(0), columns}, linear.weight.options())
                      .index_copy(1, indices, linear.weight);
}

void permute_rows(Linear& linear, const torch::Tensor& rows) {
  linear.weight.copy_(linear.weight.index_select(0, rows));
  if (linear.bias.defined()) linear.bias.copy_(linear.bias.index_select(0, rows));
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
  return upload(mask, device);
}

torch::Tensor ffn_mask_of(const Selection& selection, int64_t ffn, torch::Device device) {
  torch::Tensor mask = torch::zeros({selection.layers(), ffn});
  for (int64_t layer = 0; layer < selection.layers(); ++layer) {
    mask[layer].narrow(0, 0, selection.ffn_of(layer, ffn)).fill_(1.0F);
  }
  return upload(mask, device);
}

AttentionWeights slice_attention(const AttentionWeights& attention,
                                 const std::vector<int32_t>& heads) {
  AttentionWeights sliced = attention;
  const torch::Tensor rows =
      head_rows(heads, attention.head_width(), attention.query.weight.device());
  for_each_input(sliced, [&](Linear& linear) { linear = keep_rows(linear, rows); });
  sliced.columns = columns_at(attention, rows);
  if (attention.relative) {
    const torch::Tensor indices = head_rows(heads, 1, rows.device());
    sliced.numbers = numbers_at(attention, indices);
    if (attention.score_bias.defined()) {
      sliced.score_bias = attention.score_bias.index_select(0, indices);
    }
  }
  sliced.output.weight = attention.output.weight.index_select(1, rows).contiguous();
  sliced.heads = static_cast<int64_t>(heads.size());
  return sliced;
}

ModelWeights slice_model(const ModelWeights& weights, const Selection& selection,
                         const torch::Tensor& scale) {
  const torch::NoGradGuard no_gradients;
  ModelWeights sliced = weights;
  for (size_t i = 0; i < sliced.layers.size(); ++i) {
    AttentionWeights& layer = sliced.layers[i].attention;
    if (scale.defined()) {
      const torch::Tensor factors =
          scale[static_cast<int64_t>(i)].detach().repeat_interleave(layer.head_width());
      layer.output.weight = layer.output.weight * factors;
    }
    layer = slice_attention(layer, selection.kept[i]);

    Linear& down = sliced.layers[i].down;
    const int64_t F = selection.ffn_of(static_cast<int64_t>(i), down.weight.size(1));
    for_each_neuron_input(sliced.layers[i], [&](Linear& rows) { rows = first_rows(rows, F); });
    down.weight = down.weight.narrow(1, 0, F).contiguous();
  }
  return copy_weights(sliced);
}

ModelWeights expand_model(const ModelWeights& sliced, const ModelShape& shape,
                          const Selection& selection) {
  const torch::NoGradGuard no_gradients;
  ModelWeights whole = sliced;
  for (size_t i = 0; i < whole.layers.size(); ++i) {
    LayerWeights& layer = whole.layers[i];
    const torch::Device device = layer.up.weight.device();
    const torch::Tensor rows = head_rows(selection.kept[i], shape.head_width(), device);
    for_each_input(layer.attention,
                   [&](Linear& linear) { linear = spread_rows(linear, rows, shape.width); });
    spread_columns(layer.attention.output, rows, shape.width);
    layer.attention.heads = shape.heads;
    layer.attention.columns = torch::Tensor();
    layer.attention.numbers = torch::Tensor();
    const torch::Tensor neurons = torch::arange(layer.up.weight.size(0), rows.options());
    for_each_neuron_input(
        layer, [&](Linear& linear) { linear = spread_rows(linear, neurons, shape.ffn); });
    spread_columns(layer.down, neurons, shape.ffn);
  }
  return copy_weights(whole);
}

ModelWeights prefix_view(const ModelWeights& weights, const Selection& selection) {
  ModelWeights view = weights;
  for (size_t i = 0; i < view.layers.size(); ++i) {
    AttentionWeights& layer = view.layers[i].attention;
    const auto heads = static_cast<int64_t>(selection.kept[i].size());
    TORCH_CHECK(heads == 0 || selection.kept[i].back() == heads - 1,
                "prefix_view() needs each layer's first heads");
    const int64_t rows = heads * layer.head_width();
    for_each_input(layer, [&](Linear& linear) { linear = first_rows(linear, rows); });
    layer.columns = columns_at(layer, torch::arange(rows, layer.query.weight.device()));
    layer.numbers = numbers_at(layer, torch::arange(heads, layer.query.weight.device()));
    layer.output.weight = layer.output.weight.narrow(1, 0, rows);
    layer.heads = heads;

    Linear& down = view.layers[i].down;
    const int64_t F = selection.ffn_of(static_cast<int64_t>(i), down.weight.size(1));
    for_each_neuron_input(view.layers[i], [&](Linear& linear) { linear = first_rows(linear, F); });
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
    TORCH_CHECK(layer.attention.heads_can_move() ||
                    torch::equal(rows, torch::arange(rows.size(0), rows.options())),
                "heads that read columns of the input, or have a bias of their own, stay");
    for_each_input(layer.attention, [&](Linear& linear) { permute_rows(linear, rows); });
    permute_columns(layer.attention.output, rows);
    const torch::Tensor neurons = torch::tensor(permutation.neurons[i], torch::kInt64).to(device);
    for_each_neuron_input(layer, [&](Linear& linear) { permute_rows(linear, neurons); });
    permute_columns(layer.down, neurons);
  }
}

}  // namespace headroom
