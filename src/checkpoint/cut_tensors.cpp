#include "checkpoint/cut_tensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "checkpoint/checkpoint.h"

namespace headroom {
namespace {

constexpr int64_t nowhere = -1;

// W places for each of `heads`, as they lie among the heads `stored`.
std::vector<int64_t> head_places(const std::vector<int32_t>& heads,
                                 const std::vector<int32_t>& stored, int64_t W) {
  std::vector<int64_t> places;
  for (const int32_t head : heads) {
    const auto found = std::lower_bound(stored.begin(), stored.end(), head);
    const bool there = found != stored.end() && *found == head;
    for (int64_t i = 0; i < W; ++i) {
      places.push_back(there ? (found - stored.begin()) * W + i : nowhere);
    }
  }
  return places;
}

// 0, 1, ... up to `held`, then nowhere up to `count`.
std::vector<int64_t> first_places(int64_t held, int64_t count) {
  std::vector<int64_t> places;
  for (int64_t i = 0; i < count; ++i) places.push_back(i < held ? i : nowhere);
  return places;
}

std::vector<int32_t> all_numbers(int64_t heads) {
  return all_heads(1, heads).kept[0];
}

}  // namespace

CutTensors::CutTensors(const std::filesystem::path& safetensors, const ModelConfig& config)
    : shape_(config.shape), stored_(config.everything()), file_(open_weights(safetensors, config)) {
  for (const TensorName& entry : config.tensors()) {
    file_.expect_shape(entry.name, entry.shape);
    views_.push_back(
        {entry.name, file_.at(entry.name).dtype, entry.shape, file_.finite_bytes(entry.name)});
  }
}

void CutTensors::shrink(const Selection& kept) {
  for (int64_t i = 0; i < shape_.layers; ++i) {
    const auto layer = static_cast<size_t>(i);
    const Places heads = head_places(kept.kept[layer], stored_.kept[layer], shape_.head_width());
    const int64_t width = kept.ffn_of(i, shape_.ffn);
    const Places neurons = first_places(width, width);
    place_layer(i, {heads, heads, neurons, neurons});
  }
}

void CutTensors::fill_up(const Selection& kept) {
  const std::vector<int32_t> all = all_numbers(shape_.heads);
  const int64_t W = shape_.head_width();
  for (int64_t i = 0; i < shape_.layers; ++i) {
    const auto layer = static_cast<size_t>(i);
    const std::vector<int32_t>& stored = stored_.kept[layer];
    Places out_of_heads = head_places(all, stored, W);
    for (int64_t column = 0; column < shape_.width; ++column) {
      const auto head = static_cast<int32_t>(column / W);
      const std::vector<int32_t>& heads = kept.kept[layer];
      if (!std::binary_search(heads.begin(), heads.end(), head)) {
        out_of_heads[static_cast<size_t>(column)] = nowhere;
      }
    }
    place_layer(i, {head_places(all, stored, W), out_of_heads,
                    first_places(stored_.ffn_of(i, shape_.ffn), shape_.ffn),
                    first_places(kept.ffn_of(i, shape_.ffn), shape_.ffn)});
  }
}

void CutTensors::place_layer(int64_t layer, const LayerPlaces& places) {
  const std::string prefix = fmt::format("bert.encoder.layer.{}.", layer);
  for (const char* part : {"query", "key", "value"}) {
    place(fmt::format("{}attention.self.{}.weight", prefix, part), &places.into_heads, nullptr);
    place(fmt::format("{}attention.self.{}.bias", prefix, part), &places.into_heads, nullptr);
  }
  place(prefix + "attention.output.dense.weight", nullptr, &places.out_of_heads);
  place(prefix + "intermediate.dense.weight", &places.into_neurons, nullptr);
  place(prefix + "intermediate.dense.bias", &places.into_neurons, nullptr);
  place(prefix + "output.dense.weight", nullptr, &places.out_of_neurons);
}

// Moves bytes, whatever they mean: all bits 0 is zero in every type. A tensor that this kind of
// attention does not have is passed over.
void CutTensors::place(const std::string& name, const Places* rows, const Places* columns) {
  const auto view = std::find_if(views_.begin(), views_.end(),
                                 [&](const TensorView& each) { return each.name == name; });
  if (view == views_.end()) return;
  const int64_t held_rows = view->shape[0];
  const int64_t held_columns = view->shape.size() > 1 ? view->shape[1] : 1;
  const Places from_rows = rows != nullptr ? *rows : first_places(held_rows, held_rows);
  const Places from_columns =
      columns != nullptr ? *columns : first_places(held_columns, held_columns);
  if (from_rows == first_places(held_rows, held_rows) &&
      from_columns == first_places(held_columns, held_columns)) {
    return;
  }
  const auto element = static_cast<size_t>(dtype_bits(view->dtype) / 8);
  std::vector<std::byte>& copy =
      copies_.emplace_back(from_rows.size() * from_columns.size() * element);
  std::byte* next = copy.data();
  for (const int64_t row : from_rows) {
    for (const int64_t column : from_columns) {
      if (row != nowhere && column != nowhere) {
        const size_t at = static_cast<size_t>(row * held_columns + column) * element;
        std::memcpy(next, view->bytes.data() + at, element);
      }
      next += element;
    }
  }
  view->shape[0] = static_cast<int64_t>(from_rows.size());
  if (view->shape.size() > 1) view->shape[1] = static_cast<int64_t>(from_columns.size());
  view->bytes = copy;
}

}  // namespace headroom
