#include "server/telemetry/live_window.h"

#include <algorithm>
#include <cmath>

namespace headroom::server {
namespace {

constexpr double smallest_ms = 0.02;
constexpr double growth = 1.1;
constexpr int64_t headline_seconds = 5;

int64_t second_of(double now) {
  return static_cast<int64_t>(std::floor(now / 1000));
}

}  // namespace

void TimeHistogram::add(double ms) {
  const double bucket = std::log(std::max(ms, smallest_ms) / smallest_ms) / std::log(growth);
  ++counts_[std::min(static_cast<size_t>(bucket), counts_.size() - 1)];
  ++total_;
}

void TimeHistogram::add(const TimeHistogram& other) {
  for (size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  total_ += other.total_;
}

double TimeHistogram::quantile(double q) const {
  if (total_ == 0) return 0;
  const auto wanted = static_cast<uint64_t>(std::ceil(q * static_cast<double>(total_)));
  uint64_t seen = 0;
  size_t bucket = 0;
  while (bucket + 1 < counts_.size() && (seen += counts_[bucket]) < std::max<uint64_t>(wanted, 1)) {
    ++bucket;
  }
  return smallest_ms * std::pow(growth, static_cast<double>(bucket) + 0.5);
}

LiveWindow::Second& LiveWindow::at(double now) {
  const int64_t number = second_of(now);
  Second& slot = seconds_[static_cast<size_t>(number) % seconds_.size()];
  if (slot.number != number) slot = Second{number, 0, 0, 0, 0, {}};
  return slot;
}

const LiveWindow::Second* LiveWindow::find(int64_t number) const {
  if (number < 0) return nullptr;
  const Second& slot = seconds_[static_cast<size_t>(number) % seconds_.size()];
  return slot.number == number ? &slot : nullptr;
}

void LiveWindow::answered(double now, double total_ms, int64_t texts, double budgets) {
  Second& second = at(now);
  ++second.answered;
  second.texts += texts;
  second.budgets += budgets;
  second.times.add(total_ms);
  ++answered_;
}

void LiveWindow::refused(double now, Refusal why) {
  if (why == Refusal::abandoned) {
    ++abandoned_;
    return;
  }
  ++at(now).refused;
  ++refused_;
}

LiveState LiveWindow::state(double now) const {
  LiveState state;
  state.answered = answered_;
  state.refused = refused_;
  state.abandoned = abandoned_;
  const int64_t current = second_of(now);
  Second headline;
  for (int64_t age = kept; age >= 1; --age) {
    LiveSecond second;
    second.age_s = static_cast<double>(age - 1);
    if (const Second* found = find(current - age)) {
      second.requests_per_second = static_cast<double>(found->answered);
      second.p50_ms = found->times.quantile(0.5);
      second.p99_ms = found->times.quantile(0.99);
      second.budget = found->texts > 0 ? found->budgets / static_cast<double>(found->texts) : 0;
      second.refused = found->refused;
      if (age <= headline_seconds) {
        headline.answered += found->answered;
        headline.texts += found->texts;
        headline.budgets += found->budgets;
        headline.times.add(found->times);
      }
    }
    state.history.push_back(second);
  }
  state.requests_per_second =
      static_cast<double>(headline.answered) / static_cast<double>(headline_seconds);
  state.p50_ms = headline.times.quantile(0.5);
  state.p99_ms = headline.times.quantile(0.99);
  state.mean_budget =
      headline.texts > 0 ? headline.budgets / static_cast<double>(headline.texts) : 0;
  return state;
}

}  // namespace headroom::server
