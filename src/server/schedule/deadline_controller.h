// Picks the budget of one model: the largest at which every text that waits, and what keeps
// arriving, is answered in time. Pure arithmetic: time comes in as an argument, in milliseconds.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "server/schedule/cost_levels.h"
#include "server/schedule/waiting_text.h"
#include "server/service/observer.h"

namespace headroom::server {

// Chosen by bench/serving_simulation.cpp; docs/controller.md has the numbers.
struct ControllerSettings {
  double margin_share = 0.25;   // of a text's allowed time, kept for what nobody foresees
  double load_window_ms = 500;  // over which arrivals are averaged
  double busy_target = 0.95;    // share of the workers' time that arrivals may fill
  double raise_busy = 0.85;     // a larger budget only if it would fill no more than this
  double raise_after_ms = 100;  // between two steps up
};

// What a model's queue has to share the workers with.
struct WorkAhead {
  int workers = 1;
  double running_ms = 0;          // left of all batches under way, of every model
  std::vector<double> others_ms;  // waiting in each other queue; the workers take turns by time
  double workers_for_load = 1;    // share of the workers that this model can count on
};

struct ControllerChoice {
  size_t level = 0;
  BudgetReason reason = BudgetReason::full;
};

class DeadlineController {
 public:
  using Queue = std::deque<WaitingText>;  // in the order in which the texts will run

  DeadlineController(CostLevels levels, const ControllerSettings& settings);

  const CostLevels& levels() const { return levels_; }

  // Time over what the table says, learnt from what was run; within [0.5, 100].
  double correction() const { return correction_; }
  // A text's time besides that, for telling its answer.
  double telling_ms() const { return telling_ms_; }
  // What climbing behind the first rung takes over what `tune` saw on its rows; within [0.25, 4].
  double climbing() const;

  void arrived(double now, const WaitingText& text);
  void finished(double median_ms, double actual_ms);
  // That a worker needed for each of so many texts, from their end until it was free again.
  void told(size_t texts, double each_ms);
  // Texts climbed the ladder at a level; the table gives `climbed_ms` to the rungs that ran.
  void climbed(const std::vector<WaitingText>& texts, size_t level, double climbed_ms);
  void idled(double ms);  // nothing ran for that long

  // Moves the level that arrivals allow: down at once, up slowly. Then goes lower still where the
  // queue needs it.
  ControllerChoice choose(double now, const Queue& queue, const WorkAhead& ahead);

  // When the text at `index` should be answered if every text runs at `level`.
  double finish_ms(double now, const Queue& queue, size_t index, size_t level,
                   const WorkAhead& ahead) const;
  // Whether the texts at `added` (ascending), which were just put into the queue, can meet their
  // deadlines at the least budget, and make no text late that they `may_not_delay`.
  bool reachable(double now, const Queue& queue, const std::vector<size_t>& added,
                 const std::function<bool(const WaitingText&)>& may_not_delay,
                 const WorkAhead& ahead) const;
  // Whether an idle server as fast as its table could meet the deadlines of a call.
  bool reachable_alone(const std::vector<WaitingText>& texts, int workers) const;

  // Time that work takes, correction included; its median alone.
  LatencyEstimate time_of(const WaitingText& text, size_t level) const;
  double work_ms(const WaitingText& text, size_t level) const;
  double queue_ms(const Queue& queue, size_t level) const;

  size_t load_level() const { return load_level_; }  // that arrivals allow
  // Workers kept busy by what arrives, at that level.
  double load(double now) const { return load_at(now, load_level_); }

 private:
  double load_at(double now, size_t level) const;
  void follow_load(double now, double workers);
  double first_rung_ms(const WaitingText& text, size_t level) const;
  bool in_time(const WaitingText& text, double finish_ms) const;
  bool meets_what_can_be_met(double now, const Queue& queue, size_t level,
                             const WorkAhead& ahead) const;

  CostLevels levels_;
  ControllerSettings settings_;
  double correction_ = 1;
  double telling_ms_ = 0;
  double climb_foreseen_ms_ = 0;  // behind first rungs, fading
  double climb_taken_ms_ = 0;
  std::optional<double> before_pause_;  // correction_, until a batch has run again
  std::vector<double> arrived_ms_;  // per level: median cost of arrivals, fading over the window
  double faded_at_ = 0;
  size_t load_level_;
  double may_raise_at_ = 0;
};

}  // namespace headroom::server
