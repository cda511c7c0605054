#include "server/service/service_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <thread>

#include "base/error.h"
#include "budget/fraction.h"
#include "engine/thread_pool.h"

namespace headroom::server {

void require(bool right, const std::string& complaint) {
  if (!right) throw Error(ErrorCode::usage, "serve", complaint);
}

void check_latency(const char* name, double ms) {
  constexpr double a_day = 86400e3;
  if (ms > 0 && ms <= a_day) return;
  throw Error(ErrorCode::usage, "serve",
              fmt::format("{} is {}, expected milliseconds above 0 and at most a day", name, ms));
}

ServiceSettings checked(ServiceSettings settings) {
  if (settings.workers == 0) {
    settings.workers = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  require(settings.workers >= 1 && settings.workers <= ThreadPool::most_threads,
          fmt::format("{} workers, expected 1 to {}", settings.workers, ThreadPool::most_threads));
  if (settings.slo_ms) check_latency("the service-level objective", *settings.slo_ms);
  check_latency("the longest deadline", settings.max_deadline_ms);
  checked_budget(settings.budget);
  checked_spending(settings.min_budget);  // 0: rung zero
  require(settings.min_budget <= settings.budget,
          fmt::format("the least budget, {}, is above the usual one, {}", settings.min_budget,
                      settings.budget));
  require(settings.queue_limit >= 1, "the queue must hold at least one text");
  require(settings.max_batch_tokens >= 1, "a batch must hold at least one token");
  return settings;
}

}  // namespace headroom::server
