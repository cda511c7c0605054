#include "budget/head_choice.h"

#include <algorithm>
#include <cmath>

#include "budget/selection.h"

namespace headroom {

int64_t heads_needed(double share, int64_t heads) {
  const auto H = static_cast<double>(heads);
  if (!(share > 0)) return 1;  // NaN too
  return static_cast<int64_t>(std::clamp(std::ceil(share * H), 1.0, H));
}

void best_heads(std::span<const double> scores, std::span<int32_t> best) {
  size_t found = 0;
  for (size_t head = 0; head < scores.size() && found < best.size(); ++head) {
    size_t better = 0;
    for (size_t other = 0; other < scores.size(); ++other) {
      const bool ahead =
          scores[other] > scores[head] || (scores[other] == scores[head] && other < head);
      better += ahead ? 1 : 0;
    }
    if (better < best.size()) best[found++] = static_cast<int32_t>(head);
  }
}

HeadLimit even_limit(const ModelShape& shape, double budget) {
  const int64_t most = heads_at(budget, 1, shape.heads);
  return {shape.heads, std::vector<int64_t>(static_cast<size_t>(shape.layers), most), {}, 1};
}

HeadLimit gated_limit(const GateParameters& gates, double budget, double temperature) {
  const Selection selection = select_heads(gates.order(budget), budget);
  HeadLimit limit{gates.heads, {}, gates.values(budget), temperature};
  for (int64_t layer = 0; layer < gates.layers; ++layer) {
    limit.most.push_back(selection.heads_of(layer));
  }
  for (double& gate : limit.log_gates) gate = std::log(gate);
  return limit;
}

}  // namespace headroom
