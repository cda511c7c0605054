#include "engine/plan.h"

#include <fmt/format.h>

#include "base/error.h"

namespace headroom {
namespace {

[[noreturn]] void refuse(const std::string& fact) {
  throw Error(ErrorCode::usage, "plan budget", fact + ": a selection of another model?");
}

void check(const EngineWeights& weights, const Selection& selection) {
  const ModelShape& shape = weights.shape;
  if (selection.layers() != shape.layers) {
    refuse(fmt::format("selection has {} layers, the model {}", selection.layers(), shape.layers));
  }
  if (!selection.ffn.empty() && static_cast<int64_t>(selection.ffn.size()) != shape.layers) {
    refuse(fmt::format("selection has FFN widths of {} layers, the model {}", selection.ffn.size(),
                       shape.layers));
  }
  for (int64_t i = 0; i < shape.layers; ++i) {
    const int64_t neurons = selection.ffn_of(i, shape.ffn);
    const int64_t stored = weights.stored.ffn_of(i, shape.ffn);
    if (neurons < 0 || neurons > stored) {
      refuse(fmt::format("{} FFN neurons in layer {}, the model has {}", neurons, i, stored));
    }
  }
}

// Where among the layer's stored heads each of `heads` lies.
std::vector<int32_t> slots_of(const std::vector<int32_t>& heads, const std::vector<int32_t>& stored,
                              int64_t layer) {
  std::vector<int32_t> slots;
  size_t slot = 0;
  for (const int32_t head : heads) {
    while (slot < stored.size() && stored[slot] < head) ++slot;
    if (slot == stored.size() || stored[slot] != head) {
      refuse(fmt::format("head {} of layer {} is out of order or not in the model", head, layer));
    }
    slots.push_back(static_cast<int32_t>(slot++));
  }
  return slots;
}

double macs_a_token(const ModelShape& shape, std::span<const LayerPlan> layers) {
  const int64_t ffn_matrices = shape.form.gated_ffn ? 3 : 2;
  int64_t columns = 0;
  for (const LayerPlan& layer : layers) {
    columns += 4 * static_cast<int64_t>(layer.heads.size()) * shape.head_width() +
               ffn_matrices * layer.ffn;
  }
  return static_cast<double>(columns * shape.width);
}

}  // namespace

int64_t output_segments(std::span<const int32_t> slots, int64_t head_lanes, GemmSegment* segments) {
  int64_t count = 0;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (i > 0 && slots[i] == slots[i - 1] + 1) {
      segments[count - 1].length += head_lanes;
    } else {
      segments[count++] = {static_cast<int64_t>(i) * head_lanes, slots[i] * head_lanes, head_lanes};
    }
  }
  return count;
}

Plan make_plan(const EngineWeights& weights, const Selection& selection) {
  const ModelShape& shape = weights.shape;
  check(weights, selection);
  const int64_t head_lanes = weights.padded_head_width() / elements_per_lane(weights.precision);
  Plan plan;
  for (int64_t i = 0; i < shape.layers; ++i) {
    const std::vector<int32_t>& heads = selection.kept[static_cast<size_t>(i)];
    const std::vector<int32_t> slots =
        slots_of(heads, weights.stored.kept[static_cast<size_t>(i)], i);
    std::vector<GemmSegment> segments(heads.size());
    segments.resize(static_cast<size_t>(output_segments(slots, head_lanes, segments.data())));
    plan.layers.push_back({heads, slots, segments, selection.ffn_of(i, shape.ffn)});
    if (!heads.empty()) plan.last_attention = i;
  }
  plan.active_heads = selection.active_fraction();
  plan.active_ffn = selection.active_ffn(shape.ffn);
  plan.macs_a_token = macs_a_token(shape, plan.layers);
  return plan;
}

}  // namespace headroom
