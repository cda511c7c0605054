// One text of a call in a model's queue.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "budget/latency_table.h"
#include "server/service/priority.h"

namespace headroom::server {

class PendingCall;

struct WaitingText {
  std::shared_ptr<PendingCall> call;     // none in simulations
  size_t index = 0;                      // in the call
  std::string client;                    // who asks; all texts of a call have one
  Priority priority = Priority::normal;  // likewise
  int64_t tokens = 0;
  double arrived_ms = 0;
  double deadline_ms = std::numeric_limits<double>::infinity();
  std::optional<double> budget;                            // exact; none: the controller's choice
  LatencyEstimate exact_time;                              // at that budget
  size_t most_level = std::numeric_limits<size_t>::max();  // the controller's choice, at most
  bool automatic = false;  // climbs the ladder; with a budget at the thresholds promised
  // The schedule's: texts of a class run in the order of ranks, and whether the client's share made
  // it.
  double rank_ms = 0;
  bool over_share = false;

  // The level of flat budgets that it runs at where the controller has chosen one for all.
  size_t flat_level(size_t level) const { return std::min(level, most_level); }
  // The level of a ladder that it climbs at, of `top` + 1: load lowers no exact budget's.
  size_t ladder_level(size_t level, size_t top) const { return budget ? top : level; }
};

}  // namespace headroom::server
