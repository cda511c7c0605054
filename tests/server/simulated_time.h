// A machine on which a text takes exactly budget x tokens / 10 milliseconds, and workers whose time
// is a number.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "server/schedule/schedule.h"

namespace headroom::testing {
using namespace server;

inline double exact_ms(double budget, int64_t tokens) {
  return budget * static_cast<double>(tokens) / 10;
}

inline LatencyTable linear_table() {
  LatencyTable table{"simulated", "fp32", 1, "", {}};
  for (const double budget : {0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0}) {
    for (const int64_t tokens : {1, 1000}) {
      table.cells.push_back({budget, tokens, exact_ms(budget, tokens), exact_ms(budget, tokens)});
    }
  }
  return table;
}

inline CostLevels linear_levels(double least = 0.125, double most = 1) {
  return {linear_table(), least, most, 1000};
}

// A text that must be answered `allowed` milliseconds after it came.
inline WaitingText text_of(int64_t tokens, double arrived, double allowed) {
  WaitingText text;
  text.tokens = tokens;
  text.arrived_ms = arrived;
  text.deadline_ms = arrived + allowed;
  return text;
}

inline WaitingText exact_text(int64_t tokens, double budget, double arrived,
                              double allowed = std::numeric_limits<double>::infinity()) {
  WaitingText text = text_of(tokens, arrived, allowed);
  text.budget = budget;
  text.exact_time = {exact_ms(budget, tokens), exact_ms(budget, tokens)};
  return text;
}

inline WaitingText from(std::string client, WaitingText text) {
  text.client = std::move(client);
  return text;
}

inline double flat_batch_ms(Batch& batch) {
  double taken = 0;
  for (const WaitingText& text : batch.texts) taken += exact_ms(batch.choice.budget, text.tokens);
  return taken;
}

// Workers that are never idle while a text waits.
class SimulatedWorkers {
 public:
  // Told of every batch when it ends.
  using Ended = std::function<void(const Batch& batch, double now)>;
  // What a batch takes; may note what was climbed.
  using Takes = std::function<double(Batch& batch)>;

  SimulatedWorkers(Schedule& schedule, int workers, Ended ended, Takes takes = flat_batch_ms)
      : schedule_(schedule),
        running_(static_cast<size_t>(workers)),
        ended_(std::move(ended)),
        takes_(std::move(takes)) {}

  // Lets time pass until `now`.
  void run_until(double now) {
    while (true) {
      start(time_);
      auto next = running_.end();
      for (auto worker = running_.begin(); worker != running_.end(); ++worker) {
        if (*worker && (next == running_.end() || (*worker)->ends_ms < (*next)->ends_ms)) {
          next = worker;
        }
      }
      if (next == running_.end() || (*next)->ends_ms > now) break;
      const Running run = std::move(**next);
      next->reset();
      time_ = run.ends_ms;
      schedule_.finished(run.batch, time_);
      ended_(run.batch, time_);
    }
    time_ = now;
  }

  // Texts that were not run because their deadlines had passed.
  int64_t expired() const { return expired_; }

 private:
  struct Running {
    Batch batch;
    double ends_ms = 0;
  };

  void start(double now) {
    expired_ += static_cast<int64_t>(schedule_.drop_expired(now).size());
    for (auto& worker : running_) {
      if (worker) continue;
      std::optional<Batch> batch = schedule_.take(now);
      if (!batch) return;
      const double taken = takes_(*batch);
      worker = Running{std::move(*batch), now + taken};
    }
  }

  Schedule& schedule_;
  std::vector<std::optional<Running>> running_;
  Ended ended_;
  Takes takes_;
  double time_ = 0;
  int64_t expired_ = 0;
};

}  // namespace headroom::testing
