// One text of a call in a model's queue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "budget/latency_table.h"

namespace headroom {

class PendingCall;

struct WaitingText {
  std::shared_ptr<PendingCall> call;  // none in simulations
  size_t place = 0;                   // in the call
  int64_t tokens = 0;
  double arrived_ms = 0;
  double deadline_ms = std::numeric_limits<double>::infinity();
  std::optional<double> budget;  // exact; none: the controller's choice
  LatencyEstimate exact_time;    // at that budget
};

}  // namespace headroom
