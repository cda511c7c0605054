#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/join.h"
#include "budget/cost.h"
#include "experiments/claims/claims.h"

namespace headroom::experiments {
namespace {

ModelShape one_layer(AttentionKind kind, int64_t width, int64_t length) {
  ModelShape shape;
  shape.layers = 1;
  shape.width = width;
  shape.heads = 8;
  shape.positions = length;
  shape.attention = kind;
  return shape;
}

// A matrix is counted with its bias, as stored.
double parameters_saved(AttentionKind kind, int64_t width) {
  const Selection all = all_heads(1, 8);
  const auto count = [&](AttentionKind counted) {
    return static_cast<double>(attention_parameter_count(one_layer(counted, width, width), all));
  };
  return 1 - count(kind) / count(AttentionKind::standard);
}

double attention_macs(AttentionKind kind, int64_t width, int64_t tokens) {
  const ModelShape shape = one_layer(kind, width, tokens);
  return cost_of(shape, all_heads(1, 8), tokens).attention_macs;
}

}  // namespace

std::vector<Finding> counted_findings() {
  constexpr int64_t width = 256;
  struct Saving {
    AttentionKind kind;
    double published;
  };
  std::vector<std::string> parts;
  double farthest = 0;  // biases are not matrices: a fifth of a percent here
  for (const auto& [kind, published] :
       {Saving{AttentionKind::optimized, 0.25}, Saving{AttentionKind::efficient, 0.5},
        Saving{AttentionKind::super, 0.25}}) {
    const double saved = parameters_saved(kind, width);
    farthest = std::max(farthest, std::abs(saved - published));
    parts.push_back(fmt::format("{} -{:.1f} %", attention_name(kind), 100 * saved));
  }
  const auto costs_the_same = [](AttentionKind kind, int64_t tokens) {
    return attention_macs(AttentionKind::super, width, tokens) ==
           attention_macs(kind, width, tokens);
  };
  const int crossings = (costs_the_same(AttentionKind::optimized, width) ? 1 : 0) +
                        (costs_the_same(AttentionKind::standard, 2 * width) ? 1 : 0);
  return {
      {19,
       fmt::format("parameters: {}; {}", join(parts, ", "),
                   crossings == 2 ? "Super's MACs meet Optimized's at n = d, Standard's at n = 2d"
                                  : "Super's MACs do not cross where they should"),
       {{"largest distance from the published share", counted(100 * farthest, "points")},
        {"crossings where they should be", counted(crossings, "of 2")}}}};
}

}  // namespace headroom::experiments
