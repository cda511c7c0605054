#include "engine/plan.h"

#include <fmt/format.h>

#include "base/error.h"

namespace headroom {
namespace {

void check(const ModelShape& shape, const Selection& selection) {
  const auto refuse = [](const std::string& fact) {
    throw Error(ErrorCode::usage, "plan budget", fact + ": a selection of another model?");
  };
  if (selection.layers() != shape.layers) {
    refuse(fmt::format("selection has {} layers, the model {}", selection.layers(), shape.layers));
  }
  if (!selection.ffn.empty() && static_cast<int64_t>(selection.ffn.size()) != shape.layers) {
    refuse(fmt::format("selection has FFN widths of {} layers, the model {}", selection.ffn.size(),
                       shape.layers));
  }
  for (int64_t i = 0; i < shape.layers; ++i) {
    int32_t before = -1;
    for (const int32_t head : selection.kept[static_cast<size_t>(i)]) {
      if (head <= before || head >= shape.heads) {
        refuse(fmt::format("head {} of layer {} is out of order or not below {}", head, i,
                           shape.heads));
      }
      before = head;
    }
    const int64_t neurons = selection.ffn_of(i, shape.ffn);
    if (neurons < 0 || neurons > shape.ffn) {
      refuse(fmt::format("{} FFN neurons in layer {}, the model has {}", neurons, i, shape.ffn));
    }
  }
}

// Neighbouring heads become one range: all heads are a single one.
std::vector<GemmSegment> output_segments(const std::vector<int32_t>& heads, int64_t head_units) {
  std::vector<GemmSegment> segments;
  for (size_t i = 0; i < heads.size(); ++i) {
    if (i > 0 && heads[i] == heads[i - 1] + 1) {
      segments.back().length += head_units;
    } else {
      segments.push_back({static_cast<int64_t>(i) * head_units, heads[i] * head_units, head_units});
    }
  }
  return segments;
}

}  // namespace

Plan make_plan(const EngineWeights& weights, const Selection& selection) {
  const ModelShape& shape = weights.shape;
  check(shape, selection);
  const int64_t head_units = weights.padded_head_width() / numbers_per_unit(weights.precision);
  Plan plan;
  for (int64_t i = 0; i < shape.layers; ++i) {
    const std::vector<int32_t>& heads = selection.kept[static_cast<size_t>(i)];
    plan.layers.push_back(
        {heads, output_segments(heads, head_units), selection.ffn_of(i, shape.ffn)});
    if (!heads.empty()) plan.last_attention = i;
  }
  plan.active_heads = selection.active_fraction();
  plan.active_ffn = selection.active_ffn(shape.ffn);
  return plan;
}

}  // namespace headroom
