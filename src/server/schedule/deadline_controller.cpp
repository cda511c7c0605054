#include "server/schedule/deadline_controller.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headroom::server {
namespace {

// About the last fifty batches: half a second's work of a busy worker pair, long enough that one
// preempted batch (5 ms instead of 2) moves it by a twentieth. A batch of less than a fifth
// of a millisecond weighs less in proportion: a wake-up may take longer than it did.
constexpr double correction_weight = 0.02;
constexpr double full_weight_ms = 0.2;
// Of an answer's way out: a socket's send, tens of microseconds. What a stalled client or a
// preemption adds is no property of it.
constexpr double most_telling_ms = 0.5;
// Over so much foreseen climbing: a hundred texts of news-mini at the promised thresholds. The
// prior is as if a tenth of it had been as foreseen.
constexpr double climb_window_ms = 100;
constexpr double climb_prior_ms = 10;
constexpr double least_correction = 0.5;
constexpr double most_correction = 100;  // a build for debugging, or a machine that swaps
// One batch counts for no more than this much over the correction so far: a stall of a second
// teaches little, while a machine that stays fifty times slower is known after seventy batches.
constexpr double most_surprise = 4;
// While nothing runs nothing is learnt, and a deadline that seems out of reach would stay so for
// ever. So what was learnt is doubted more and more over this time, until a call is tried again.
constexpr double doubt_ms = 60'000;

// When the texts of a queue would be answered, one after the other. A text starts no later than
// when all workers together have done what comes before it: until then none of them is idle. What
// comes before it are earlier texts, what is under way and, as the workers take turns by time, as
// much of every other queue.
class Forecast {
 public:
  Forecast(double now, const WorkAhead& ahead) : now_(now), ahead_(ahead) {}

  // Its own time is taken at p90; the sum of what comes before it lies near its mean.
  double finish(const LatencyEstimate& time) {
    double before = ahead_.running_ms + own_ms_;
    for (const double other : ahead_.others_ms) before += std::min(other, own_ms_);
    own_ms_ += time.median_ms;
    return now_ + before / ahead_.workers + time.p90_ms;
  }

 private:
  double now_;
  const WorkAhead& ahead_;
  double own_ms_ = 0;
};

}  // namespace

DeadlineController::DeadlineController(CostLevels levels, const ControllerSettings& settings)
    : levels_(std::move(levels)),
      settings_(settings),
      arrived_ms_(levels_.count()),
      load_level_(levels_.top()) {}

LatencyEstimate DeadlineController::time_of(const WaitingText& text, size_t level) const {
  LatencyEstimate table = text.budget      ? text.exact_time
                          : text.automatic ? levels_.ladder_estimate(level, text.tokens)
                                           : levels_.estimate(text.flat_level(level), text.tokens);
  if (text.automatic) {
    const double behind = std::max(0.0, table.median_ms - first_rung_ms(text, level));
    table.median_ms += (climbing() - 1) * behind;
    table.p90_ms = std::max(table.p90_ms, table.median_ms);
  }
  return {correction_ * table.median_ms + telling_ms_, correction_ * table.p90_ms + telling_ms_};
}

// All of it where the ladder has given way to a flat budget.
double DeadlineController::first_rung_ms(const WaitingText& text, size_t level) const {
  const size_t used = text.ladder_level(level, levels_.top());
  return levels_.ladder_step(used).thresholds
             ? levels_.climbed_ms(1, text.tokens)
             : levels_.ladder_estimate(used, text.tokens).median_ms;
}

double DeadlineController::work_ms(const WaitingText& text, size_t level) const {
  return time_of(text, level).median_ms;
}

double DeadlineController::queue_ms(const Queue& queue, size_t level) const {
  double sum = 0;
  for (const WaitingText& text : queue) sum += work_ms(text, level);
  return sum;
}

bool DeadlineController::in_time(const WaitingText& text, double finish_ms) const {
  const double margin = settings_.margin_share * (text.deadline_ms - text.arrived_ms);
  return std::isinf(text.deadline_ms) || finish_ms <= text.deadline_ms - margin;
}

void DeadlineController::arrived(double now, const WaitingText& text) {
  const double fade = std::exp((faded_at_ - now) / settings_.load_window_ms);
  for (size_t level = 0; level < levels_.count(); ++level) {
    arrived_ms_[level] = arrived_ms_[level] * fade + time_of(text, level).median_ms / correction_;
  }
  faded_at_ = now;
}

void DeadlineController::finished(double median_ms, double actual_ms) {
  if (median_ms <= 0) return;
  // The first batch after a pause says whether what was known before it still holds.
  const double known = std::exchange(before_pause_, std::nullopt).value_or(correction_);
  if (actual_ms / median_ms > (known + correction_) / 2) correction_ = known;
  const double most = std::min(most_correction, most_surprise * correction_);
  const double ratio = std::clamp(actual_ms / median_ms, least_correction, most);
  const double weight = correction_weight * std::min(1.0, median_ms / full_weight_ms);
  correction_ += weight * (ratio - correction_);
}

void DeadlineController::told(size_t texts, double each_ms) {
  const double known = std::clamp(each_ms, 0.0, most_telling_ms);
  const double keep = std::pow(1 - correction_weight, static_cast<double>(texts));
  telling_ms_ = keep * telling_ms_ + (1 - keep) * known;
}

double DeadlineController::climbing() const {
  const double ratio = (climb_prior_ms + climb_taken_ms_) / (climb_prior_ms + climb_foreseen_ms_);
  return std::clamp(ratio, 0.25, 4.0);
}

void DeadlineController::climbed(const std::vector<WaitingText>& texts, size_t level,
                                 double climbed_ms) {
  double foreseen = 0;
  double taken = climbed_ms;
  for (const WaitingText& text : texts) {
    const double first = first_rung_ms(text, level);
    const size_t used = text.ladder_level(level, levels_.top());
    foreseen += levels_.ladder_estimate(used, text.tokens).median_ms - first;
    taken -= first;
  }
  if (foreseen <= 0) return;
  const double fade = std::exp(-foreseen / climb_window_ms);
  climb_foreseen_ms_ = fade * climb_foreseen_ms_ + foreseen;
  climb_taken_ms_ = fade * climb_taken_ms_ + std::max(0.0, taken);
}

void DeadlineController::idled(double ms) {
  if (!before_pause_) before_pause_ = correction_;
  correction_ = 1 + (correction_ - 1) * std::exp(-ms / doubt_ms);
}

double DeadlineController::load_at(double now, size_t level) const {
  const double fade = std::exp((faded_at_ - now) / settings_.load_window_ms);
  return correction_ * arrived_ms_[level] * fade / settings_.load_window_ms;
}

void DeadlineController::follow_load(double now, double workers) {
  while (load_level_ > 0 && load_at(now, load_level_) > settings_.busy_target * workers) {
    --load_level_;
    may_raise_at_ = now + settings_.raise_after_ms;
  }
  // The larger budget must have been affordable all the while. Nobody asks an idle server, so after
  // a pause every step that was due is made at once.
  while (load_level_ < levels_.top()) {
    if (load_at(now, load_level_ + 1) > settings_.raise_busy * workers) {
      may_raise_at_ = now + settings_.raise_after_ms;
    }
    if (now < may_raise_at_) return;
    ++load_level_;
    may_raise_at_ += settings_.raise_after_ms;
  }
}

// A text that is late even at the least budget is not helped by lowering; it would only drag the
// others down.
bool DeadlineController::meets_what_can_be_met(double now, const Queue& queue, size_t level,
                                               const WorkAhead& ahead) const {
  Forecast at_level(now, ahead);
  Forecast at_least(now, ahead);
  return std::all_of(queue.begin(), queue.end(), [&](const WaitingText& text) {
    const double finish = at_level.finish(time_of(text, level));
    const double earliest = at_least.finish(time_of(text, 0));
    return in_time(text, finish) || !in_time(text, earliest);
  });
}

ControllerChoice DeadlineController::choose(double now, const Queue& queue,
                                            const WorkAhead& ahead) {
  follow_load(now, ahead.workers_for_load);
  if (meets_what_can_be_met(now, queue, load_level_, ahead)) {
    return {load_level_, load_level_ == levels_.top() ? BudgetReason::full : BudgetReason::load};
  }
  size_t meets = 0;
  size_t misses = load_level_;
  while (misses - meets > 1) {
    const size_t middle = (meets + misses) / 2;
    (meets_what_can_be_met(now, queue, middle, ahead) ? meets : misses) = middle;
  }
  return {meets, BudgetReason::queue};
}

double DeadlineController::finish_ms(double now, const Queue& queue, size_t index, size_t level,
                                     const WorkAhead& ahead) const {
  Forecast forecast(now, ahead);
  double finish = now;
  for (size_t i = 0; i <= index; ++i) finish = forecast.finish(time_of(queue[i], level));
  return finish;
}

bool DeadlineController::reachable(double now, const Queue& queue, const std::vector<size_t>& added,
                                   const std::function<bool(const WaitingText&)>& may_not_delay,
                                   const WorkAhead& ahead) const {
  Forecast with(now, ahead);
  Forecast without(now, ahead);
  auto next_added = added.begin();
  for (size_t i = 0; i < queue.size(); ++i) {
    const LatencyEstimate time = time_of(queue[i], 0);
    const bool meets = in_time(queue[i], with.finish(time));
    if (next_added != added.end() && *next_added == i) {
      if (!meets) return false;
      ++next_added;
    } else if (in_time(queue[i], without.finish(time)) && !meets && may_not_delay(queue[i])) {
      return false;
    }
  }
  return true;
}

bool DeadlineController::reachable_alone(const std::vector<WaitingText>& texts, int workers) const {
  const WorkAhead nothing{workers, 0, {}, 1};
  Forecast forecast(texts.front().arrived_ms, nothing);
  // A machine that is slow now may be fast again.
  const double slowdown = std::min(1.0, 1 / correction_);
  return std::all_of(texts.begin(), texts.end(), [&](const WaitingText& text) {
    const LatencyEstimate time = time_of(text, 0);
    return in_time(text, forecast.finish({slowdown * time.median_ms, slowdown * time.p90_ms}));
  });
}

}  // namespace headroom::server
