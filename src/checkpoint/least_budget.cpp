#include "checkpoint/least_budget.h"

#include <cmath>

#include "budget/unit_order.h"

namespace headroom {

double least_budget(const ModelConfig& config) {
  if (!config.elastic()) return 0;
  const double least = config.order ? least_budget(*config.order, config.shape)
                                    : 1.0 / static_cast<double>(config.shape.heads);
  return std::ceil(1e4 * least) / 1e4;
}

}  // namespace headroom
