// What a service is told once, at its start.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "server/service/answer_cache.h"

namespace headroom::server {

struct ServiceSettings {
  int workers = 0;                  // threads, shared by all models; 0: one per core
  std::optional<double> slo_ms;     // deadline of calls that name none
  double max_deadline_ms = 10'000;  // what clients name above it is taken for this
  double budget = 1;                // the most that a call spends which names no budget
  double min_budget = 0.125;  // the controller goes no lower; 0: rung zero, where there is one
  bool automatic = false;     // such a call climbs the ladder instead, where its model has one
  int64_t queue_limit = 512;  // texts waiting, per model
  int64_t max_batch_tokens = 2048;
  std::shared_ptr<AnswerCache> cache = {};  // none: every text runs
};

// `settings` with the number of workers chosen. Throws ErrorCode::usage for what is out of range.
ServiceSettings checked(ServiceSettings settings);

// Throws ErrorCode::usage with the complaint, unless `right`.
void require(bool right, const std::string& complaint);

// A time that is not above 0, NaN included, is a mistake; more than a day is no deadline anyone
// waits for. Throws ErrorCode::usage for either; `name` says what it is.
void check_latency(const char* name, double ms);

}  // namespace headroom::server
