// What a run against a server amounts to.
#pragma once

#include <vector>

#include "base/json.h"
#include "load_client.h"

namespace headroom {

struct LoadSummary {
  int64_t sent = 0;
  int64_t answered = 0;
  int64_t refused = 0;  // 429
  // By a latency table that was measured on busy cores, long texts may be out of reach.
  int64_t unreachable = 0;
  int64_t faults = 0;  // any other status
  int64_t lost = 0;    // no answer at all
  double p50_ms = 0;   // of answers, from when they were due to be asked for
  double p90_ms = 0;
  double p99_ms = 0;
  double max_ms = 0;
  double slo_attainment = 0;  // answered in time over sent
  double mean_budget = 0;
  double accuracy = 0;  // of answers
  double answers_per_second = 0;
  // How late the client itself was: above a millisecond it, not the server, is the limit.
  double client_delay_p99_ms = 0;
};

LoadSummary summarise(const std::vector<LoadOutcome>& outcomes, double slo_ms);
Json to_json(const LoadSummary& summary);

}  // namespace headroom
