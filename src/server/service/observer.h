// What the service tells whoever counts: metrics and logs implement it, this one ignores
// everything. Called from many threads at once, without any lock held.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "server/service/call.h"

namespace headroom::server {

// Why the controller took a budget and no larger one.
enum class BudgetReason {
  full,   // it is the largest that the server spends
  load,   // more arrives each second than the workers could do at a larger one
  queue,  // a text that waits would miss its deadline
  exact,  // the call named it, or has no deadline
};

std::string_view budget_reason_name(BudgetReason reason);

struct CallAccepted {
  int64_t texts = 0;
  int64_t tokens = 0;
  double predicted_ms = 0;  // until its last answer
};

struct CallAnswered {
  int64_t texts = 0;
  int64_t tokens = 0;
  double lowest_budget = 1;
  double queue_ms = 0;
  double inference_ms = 0;
  double predicted_ms = 0;
  double total_ms = 0;  // from submit() to the last answer
  bool late = false;    // after its deadline
};

struct BudgetChoice {
  double budget = 1;
  BudgetReason reason = BudgetReason::full;
  int64_t waiting = 0;    // texts in the queue, the chosen ones included
  double correction = 1;  // time that work takes over what the latency table says
  // Texts that climb the ladder: the policy's level whose thresholds they get. Their budgets are
  // the rungs', whatever `budget` says.
  std::optional<size_t> ladder = {};
  bool lowered =
      false;  // below what an idle server gives: the thresholds of a ladder, else the budget
  double given_up = 0;  // the share of an idle server's budget, or of its time on a ladder
};

struct BatchRun {
  int64_t texts = 0;
  int64_t tokens = 0;
  double budget = 1;
  double predicted_ms = 0;
  double actual_ms = 0;
  double given_up = 0;  // BudgetChoice::given_up; none of a budget that the call named
};

class ServiceObserver {
 public:
  virtual ~ServiceObserver() = default;

  virtual void call_accepted(const std::string& /*model*/, const CallAccepted& /*call*/) noexcept {}
  virtual void call_answered(const std::string& /*model*/, const CallAnswered& /*call*/) noexcept {}
  // Every other end of a call of so many texts, Refusal::abandoned among them.
  virtual void call_refused(const std::string& /*model*/, const CallRefused& /*call*/,
                            int64_t /*texts*/) noexcept {}
  // Texts of a call that a cache had and had not.
  virtual void cache_asked(const std::string& /*model*/, int64_t /*hits*/,
                           int64_t /*misses*/) noexcept {}
  // A worker is about to run a batch.
  virtual void budget_chosen(const std::string& /*model*/,
                             const BudgetChoice& /*choice*/) noexcept {}
  virtual void batch_run(const std::string& /*model*/, const BatchRun& /*batch*/) noexcept {}
};

}  // namespace headroom::server
