// Counts what happens to one model's calls, second by second, for the last minute. The caller
// locks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "server/service/call.h"
#include "server/telemetry/live_state.h"

namespace headroom::server {

// Times in buckets that grow by a tenth: a quantile is off by 5 % at most, and an hour at any rate
// takes no more memory than a second.
class TimeHistogram {
 public:
  void add(double ms);
  void add(const TimeHistogram& other);
  double quantile(double q) const;  // 0 when empty

 private:
  std::array<uint32_t, 144> counts_{};  // 0.02 ms to 18 s
  uint64_t total_ = 0;
};

class LiveWindow {
 public:
  // A call that was answered after `total_ms`; its texts' budgets add up to `budgets`.
  void answered(double now, double total_ms, int64_t texts, double budgets);
  void refused(double now, Refusal why);

  // The part of LiveState that follows from calls.
  LiveState state(double now) const;

 private:
  struct Second {
    int64_t number = -1;  // since the clock's zero; another: this slot holds an old one
    int64_t answered = 0;
    int64_t refused = 0;
    int64_t texts = 0;
    double budgets = 0;
    TimeHistogram times;
  };
  static constexpr int64_t kept = 60;

  Second& at(double now);
  const Second* find(int64_t number) const;

  std::vector<Second> seconds_ = std::vector<Second>(kept + 1);  // and the one under way
  int64_t answered_ = 0;
  int64_t refused_ = 0;
  int64_t abandoned_ = 0;
};

}  // namespace headroom::server
