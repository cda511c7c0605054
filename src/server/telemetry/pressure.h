// How much of what callers wanted load has taken from them lately: 0 while everybody gets the full
// budget, 1 when all are refused. A server that lowers budgets never shows a high latency, so this
// is what replicas are scaled on.
#pragma once

#include <cmath>
#include <mutex>

namespace headroom::server {

class Pressure {
 public:
  // `given_up` of 1 for each of so many texts.
  void add(double given_up, double texts, double now_seconds) {
    const std::lock_guard lock(mutex_);
    const double fade = faded(now_seconds);
    given_up_ = given_up_ * fade + given_up * texts;
    texts_ = texts_ * fade + texts;
    last_seconds_ = now_seconds;
  }

  // The mean over about the last ten seconds; nobody asks an idle server, whose pressure fades.
  double ratio(double now_seconds) const {
    const std::lock_guard lock(mutex_);
    return texts_ > 0 ? given_up_ / texts_ * faded(now_seconds) : 0;
  }

 private:
  double faded(double now_seconds) const {
    constexpr double window_seconds = 10;
    return std::exp((last_seconds_ - now_seconds) / window_seconds);
  }

  mutable std::mutex mutex_;
  double given_up_ = 0;
  double texts_ = 0;
  double last_seconds_ = 0;
};

}  // namespace headroom::server
