// The last minute of one model, second by second: what the page and /v1/live show.
#pragma once

#include <cstdint>
#include <vector>

namespace headroom::server {

struct LiveSecond {
  double age_s = 0;  // how long ago it ended; the second under way is left out
  double requests_per_second = 0;
  double p50_ms = 0;
  double p99_ms = 0;
  double budget = 0;  // mean over the texts answered; 0: none was
  int64_t refused = 0;
};

struct LiveState {
  int64_t queue = 0;  // texts waiting
  int64_t queue_limit = 0;
  // Over the last five whole seconds.
  double requests_per_second = 0;
  double p50_ms = 0;
  double p99_ms = 0;
  double mean_budget = 0;
  double budget = 1;  // that a call with a deadline would get now
  double min_budget = 0;
  // Calls since the start.
  int64_t answered = 0;
  int64_t refused = 0;
  int64_t abandoned = 0;
  bool draining = false;
  std::vector<LiveSecond> history;  // 60, oldest first
};

}  // namespace headroom::server
