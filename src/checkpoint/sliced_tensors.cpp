#include "checkpoint/sliced_tensors.h"

#include <algorithm>
#include <cstring>

#include "checkpoint/checkpoint.h"

namespace headroom {
namespace {

constexpr int64_t zeros = -1;

// W sources for each of `heads`, as they lie among the heads `stored`.
std::vector<int64_t> head_sources(const std::vector<int32_t>& heads,
                                  const std::vector<int32_t>& stored, int64_t W) {
  std::vector<int64_t> sources;
  for (const int32_t head : heads) {
    const auto found = std::lower_bound(stored.begin(), stored.end(), head);
    const bool there = found != stored.end() && *found == head;
    for (int64_t i = 0; i < W; ++i) {
      sources.push_back(there ? (found - stored.begin()) * W + i : zeros);
    }
  }
  return sources;
}

// 0, 1, ... up to `held`, then zeros up to `count`.
std::vector<int64_t> first_sources(int64_t held, int64_t count) {
  std::vector<int64_t> sources;
  for (int64_t i = 0; i < count; ++i) sources.push_back(i < held ? i : zeros);
  return sources;
}

std::vector<int32_t> all_numbers(int64_t heads) {
  return all_heads(1, heads).kept[0];
}

}  // namespace

SlicedTensors::SlicedTensors(const std::filesystem::path& safetensors, const ModelConfig& config)
    : shape_(config.shape),
      stored_(config.everything()),
      file_(open_weights(safetensors, config)),
      specs_(config.tensors()) {
  for (const TensorSpec& entry : specs_) {
    file_.expect_shape(entry.name, entry.shape);
    views_.push_back(
        {entry.name, file_.at(entry.name).dtype, entry.shape, file_.finite_bytes(entry.name)});
  }
}

void SlicedTensors::shrink(const Selection& kept) {
  for (int64_t i = 0; i < shape_.layers; ++i) {
    const auto layer = static_cast<size_t>(i);
    const Sources heads = head_sources(kept.kept[layer], stored_.kept[layer], shape_.head_width());
    const int64_t width = kept.ffn_of(i, shape_.ffn);
    const Sources neurons = first_sources(width, width);
    gather_layer(i, {heads, heads, neurons, neurons});
  }
}

void SlicedTensors::fill_up(const Selection& kept) {
  const std::vector<int32_t> all = all_numbers(shape_.heads);
  const int64_t W = shape_.head_width();
  for (int64_t i = 0; i < shape_.layers; ++i) {
    const auto layer = static_cast<size_t>(i);
    const std::vector<int32_t>& stored = stored_.kept[layer];
    Sources out_of_heads = head_sources(all, stored, W);
    for (int64_t column = 0; column < shape_.width; ++column) {
      const auto head = static_cast<int32_t>(column / W);
      const std::vector<int32_t>& heads = kept.kept[layer];
      if (!std::binary_search(heads.begin(), heads.end(), head)) {
        out_of_heads[static_cast<size_t>(column)] = zeros;
      }
    }
    gather_layer(i, {head_sources(all, stored, W), out_of_heads,
                     first_sources(stored_.ffn_of(i, shape_.ffn), shape_.ffn),
                     first_sources(kept.ffn_of(i, shape_.ffn), shape_.ffn)});
  }
}

TensorView* SlicedTensors::find_fp32(const std::string& name) {
  const auto found = std::find_if(views_.begin(), views_.end(),
                                  [&](const TensorView& view) { return view.name == name; });
  return found == views_.end() || found->dtype != DType::f32 ? nullptr : &*found;
}

bool SlicedTensors::rescale(const std::string& layer, double divisor, double offset) {
  TensorView* const weight = find_fp32(layer + ".weight");
  TensorView* const bias = find_fp32(layer + ".bias");
  if (weight == nullptr || bias == nullptr) return false;
  for (TensorView* const view : {weight, bias}) {
    const double added = view == bias ? offset : 0;
    std::vector<std::byte>& copy = copies_.emplace_back(view->bytes.begin(), view->bytes.end());
    for (size_t at = 0; at < copy.size(); at += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, copy.data() + at, sizeof(float));
      value = static_cast<float>(value / divisor + added);
      std::memcpy(copy.data() + at, &value, sizeof(float));
    }
    view->bytes = copy;
  }
  return true;
}

void SlicedTensors::gather_layer(int64_t layer, const LayerSources& sources) {
  for (size_t i = 0; i < specs_.size(); ++i) {
    const Module& module = specs_[i].module;
    if (module.stack != Stack::encoder || module.layer != layer) continue;
    const Role role = module.role;
    if (role == Role::query || role == Role::key || role == Role::value ||
        role == Role::relative_key || role == Role::relative_query) {
      gather(views_[i], &sources.into_heads, nullptr);
    } else if (role == Role::attention_output && !specs_[i].bias) {
      gather(views_[i], nullptr, &sources.out_of_heads);
    } else if (role == Role::up || role == Role::gate) {
      gather(views_[i], &sources.into_neurons, nullptr);
    } else if (role == Role::down && !specs_[i].bias) {
      gather(views_[i], nullptr, &sources.out_of_neurons);
    }
  }
}

// Moves bytes, whatever they mean: all bits 0 is zero in every type.
void SlicedTensors::gather(TensorView& view, const Sources* rows, const Sources* columns) {
  const int64_t held_rows = view.shape[0];
  const int64_t held_columns = view.shape.size() > 1 ? view.shape[1] : 1;
  const Sources from_rows = rows != nullptr ? *rows : first_sources(held_rows, held_rows);
  const Sources from_columns =
      columns != nullptr ? *columns : first_sources(held_columns, held_columns);
  if (from_rows == first_sources(held_rows, held_rows) &&
      from_columns == first_sources(held_columns, held_columns)) {
    return;
  }
  const auto element = static_cast<size_t>(dtype_bits(view.dtype) / 8);
  std::vector<std::byte>& copy =
      copies_.emplace_back(from_rows.size() * from_columns.size() * element);
  std::byte* next = copy.data();
  for (const int64_t row : from_rows) {
    for (const int64_t column : from_columns) {
      if (row != zeros && column != zeros) {
        const size_t at = static_cast<size_t>(row * held_columns + column) * element;
        std::memcpy(next, view.bytes.data() + at, element);
      }
      next += element;
    }
  }
  view.shape[0] = static_cast<int64_t>(from_rows.size());
  if (view.shape.size() > 1) view.shape[1] = static_cast<int64_t>(from_columns.size());
  view.bytes = copy;
}

}  // namespace headroom
