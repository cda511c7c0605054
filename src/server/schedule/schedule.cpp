#include "server/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

namespace headroom::server {
namespace {

// The engine runs one text after the other, so a batch saves no arithmetic: per text, 32 at once
// take what one takes. It saves a wake-up and two locks, some 20 us; a millisecond's work makes
// these 2 %, and a text waits no longer than that for its companions.
constexpr double batch_ms = 1;
// A text without a deadline runs as if it had this one, but is never late.
constexpr double patience_ms = 1000;
// Advice for a client that a slow machine refused, though nothing waits.
constexpr double retry_idle_seconds = 1;
// What a client took beyond its share is held against it for no longer than this many of the
// longest deadlines: above one, so that even its most patient texts go behind those of others.
constexpr double most_debt = 2;

using Queue = DeadlineController::Queue;

bool runs_before(const WaitingText& a, const WaitingText& b) {
  return a.priority != b.priority ? a.priority < b.priority : a.rank_ms < b.rank_ms;
}

// Puts texts, which it sorts, into the queue. Returns their indices, ascending.
std::vector<size_t> insert_by_rank(Queue& queue, std::vector<WaitingText> texts) {
  std::stable_sort(texts.begin(), texts.end(), runs_before);
  std::vector<size_t> indices;
  for (WaitingText& text : texts) {
    const auto behind = std::upper_bound(queue.begin(), queue.end(), text, runs_before);
    indices.push_back(static_cast<size_t>(behind - queue.begin()));
    queue.insert(behind, std::move(text));
  }
  return indices;
}

// Removes the last texts of a queue.
std::vector<WaitingText> take_back(Queue& queue, size_t count) {
  const auto first = queue.end() - static_cast<ptrdiff_t>(count);
  std::vector<WaitingText> texts(std::make_move_iterator(first),
                                 std::make_move_iterator(queue.end()));
  queue.erase(first, queue.end());
  return texts;
}

// Removes the texts that `unwanted` holds for.
template <typename Unwanted>
std::vector<WaitingText> extract(Queue& queue, const Unwanted& unwanted) {
  const auto removed = std::stable_partition(queue.begin(), queue.end(), std::not_fn(unwanted));
  return take_back(queue, static_cast<size_t>(queue.end() - removed));
}

// What a text runs at: a flat budget, or a ladder's thresholds.
struct Spending {
  double budget = 1;
  std::optional<size_t> thresholds;

  bool operator==(const Spending&) const = default;
};

Spending text_spending(const CostLevels& levels, const WaitingText& text, size_t level) {
  if (!text.automatic) return {text.budget.value_or(levels.budget(text.flat_level(level))), {}};
  const LadderStep& step = levels.ladder_step(text.ladder_level(level, levels.top()));
  return {step.thresholds ? levels.budget(levels.top()) : step.budget, step.thresholds};
}

// The share of an idle server's budget, or of its time on a ladder, that load takes.
double given_up(const CostLevels& levels, const WaitingText& text, size_t level) {
  if (text.budget) return 0;
  if (!text.automatic) {
    return 1 - levels.budget(text.flat_level(level)) / levels.budget(text.flat_level(levels.top()));
  }
  return 1 - levels.ladder_estimate(level, text.tokens).median_ms /
                 levels.ladder_estimate(levels.top(), text.tokens).median_ms;
}

// What a client is told whose call would end `needed_ms` from now, or delay others. Without a
// deadline `allowed_ms` is infinite and the comparisons are false.
CallRefused too_late(const WaitingText& text, double now, double needed_ms, double margin_share) {
  const double allowed_ms = text.deadline_ms - text.arrived_ms;
  const double waited_ms = now - text.arrived_ms;
  const double reserve_ms = margin_share * allowed_ms;
  if (waited_ms >= allowed_ms) {
    return {Refusal::deadline_passed, 0,
            fmt::format("the deadline of {:.4g} ms passed before the request was read and planned, "
                        "which took {:.1f} ms",
                        allowed_ms, waited_ms)};
  }
  if (waited_ms + needed_ms > allowed_ms - reserve_ms) {
    return {Refusal::overloaded, 0,
            fmt::format("the answer would take about {:.1f} ms more, even at the least budget; of "
                        "the {:.4g} ms until its deadline {:.1f} have passed and {:.4g} are kept "
                        "in reserve",
                        needed_ms, allowed_ms, waited_ms, reserve_ms)};
  }
  return {Refusal::overloaded, 0,
          "the call would make others late that were accepted before, even at the least budget"};
}

}  // namespace

Schedule::Schedule(std::vector<CostLevels> models, const ScheduleSettings& settings)
    : settings_(settings), shares_(settings.workers) {
  for (CostLevels& levels : models) {
    queues_.push_back({DeadlineController(std::move(levels), settings.controller), {}, 0});
  }
}

// Other models take what they need, but no more than leaves every model that has work its share.
double Schedule::workers_for_load(size_t model, double now) const {
  double others = 0;
  int loaded = 1;
  for (size_t i = 0; i < queues_.size(); ++i) {
    if (i == model) continue;
    const double load = queues_[i].controller.load(now);
    others += load;
    if (load > 0.01) ++loaded;
  }
  const double workers = settings_.workers;
  return std::max(workers - others, workers / loaded);
}

WorkAhead Schedule::work_ahead(size_t model, double now) const {
  WorkAhead ahead;
  ahead.workers = settings_.workers;
  for (const Running& batch : running_) ahead.running_ms += std::max(0.0, batch.ends_ms - now);
  for (size_t i = 0; i < queues_.size(); ++i) {
    const ModelQueue& other = queues_[i];
    if (i == model || other.texts.empty()) continue;
    ahead.others_ms.push_back(
        other.controller.queue_ms(other.texts, other.controller.load_level()));
  }
  ahead.workers_for_load = workers_for_load(model, now);
  return ahead;
}

// How many texts of a queue, its last, must make room for a call; nothing when they may not. A
// queue that others have filled still takes a client that has less than its part of it waiting; and
// what is in a hurry takes the places of what is not.
std::optional<size_t> Schedule::must_go(const ModelQueue& queue,
                                        const std::vector<WaitingText>& texts) const {
  const auto limit = static_cast<size_t>(settings_.queue_limit);
  if (queue.texts.size() + texts.size() <= limit) return 0;
  std::set<std::string_view> clients = {texts.front().client};
  size_t own = texts.size();
  for (const WaitingText& text : queue.texts) {
    clients.insert(text.client);
    if (text.client == texts.front().client) ++own;
  }
  if (own * clients.size() <= limit) return 0;
  const size_t over = queue.texts.size() + texts.size() - limit;
  if (over > queue.texts.size()) return std::nullopt;
  const WaitingText& earliest_to_go = queue.texts[queue.texts.size() - over];
  return runs_before(texts.back(), earliest_to_go) ? std::optional(over) : std::nullopt;
}

// Sets deadlines and ranks. Returns the client's turn after these texts.
double Schedule::rank(std::vector<WaitingText>& texts, const DeadlineController& controller,
                      double now) {
  const std::string& client = texts.front().client;
  const size_t clients = shares_.clients(client, now);
  double turn = shares_.turn_ms(client, now);
  for (WaitingText& text : texts) {
    text.rank_ms = std::max(
        turn, std::isinf(text.deadline_ms) ? text.arrived_ms + patience_ms : text.deadline_ms);
    text.over_share = turn >= text.rank_ms;
    turn = shares_.next_turn_ms(turn, clients, controller.work_ms(text, controller.load_level()));
  }
  return turn;
}

Admission Schedule::offer(size_t model, std::vector<WaitingText> texts, double now) {
  ModelQueue& queue = queues_[model];
  DeadlineController& controller = queue.controller;
  if (idle()) {
    for (ModelQueue& each : queues_) each.controller.idled(std::max(0.0, now - idle_since_ms_));
    idle_since_ms_ = now;
  }
  const WorkAhead ahead = work_ahead(model, now);
  const auto refuse = [&](Refusal why, double retry_after_seconds, std::string message) {
    return Admission{CallRefused{why, retry_after_seconds, std::move(message)}, 0, {}};
  };
  for (WaitingText& text : texts) {
    if (std::isinf(text.deadline_ms)) continue;
    text.deadline_ms = std::min(text.deadline_ms, text.arrived_ms + settings_.max_deadline_ms);
  }
  if (!controller.reachable_alone(texts, settings_.workers)) {
    return refuse(Refusal::deadline_unreachable, 0,
                  fmt::format("the deadline of {} ms cannot be met here, even by an idle server at "
                              "the least budget",
                              texts.front().deadline_ms - texts.front().arrived_ms));
  }
  if (queue.texts.empty()) queue.used_ms = std::max(queue.used_ms, last_used_ms_);
  const std::string client = texts.front().client;
  const Priority priority = texts.front().priority;
  const double turn = rank(texts, controller, now);
  const std::optional<size_t> displaced = must_go(queue, texts);
  if (!displaced) {
    return refuse(Refusal::queue_full, drain_seconds(queue, ahead),
                  fmt::format("{} texts are waiting and at most {} may", queue.texts.size(),
                              settings_.queue_limit));
  }
  Admission admission;
  admission.displaced = take_back(queue.texts, *displaced);
  const std::vector<size_t> added = insert_by_rank(queue.texts, std::move(texts));
  const auto may_not_delay = [&](const WaitingText& text) {
    if (text.priority != priority) return text.priority < priority;
    return text.client == client || shares_.turn_ms(text.client, now) <= turn;
  };
  if (!controller.reachable(now, queue.texts, added, may_not_delay, ahead)) {
    const WaitingText& last = queue.texts[added.back()];
    const double needed_ms = controller.finish_ms(now, queue.texts, added.back(), 0, ahead) - now;
    CallRefused why = too_late(last, now, needed_ms, settings_.controller.margin_share);
    for (auto index = added.rbegin(); index != added.rend(); ++index) {
      queue.texts.erase(queue.texts.begin() + static_cast<ptrdiff_t>(*index));
    }
    std::ranges::move(admission.displaced, std::back_inserter(queue.texts));
    const double drain = drain_seconds(queue, ahead);
    why.retry_after_seconds = drain > 0 ? drain : retry_idle_seconds;
    return {std::move(why), 0, {}};
  }
  shares_.set_turn(client, std::min(turn, now + most_debt * settings_.max_deadline_ms));
  for (const size_t index : added) {
    // What cannot be lowered and is more than the client's share lowers nobody else's budget.
    const WaitingText& text = queue.texts[index];
    if (!(text.budget && text.over_share)) controller.arrived(now, text);
  }
  const size_t level = controller.choose(now, queue.texts, ahead).level;
  admission.predicted_ms = controller.finish_ms(now, queue.texts, added.back(), level, ahead) - now;
  return admission;
}

double Schedule::drain_seconds(const ModelQueue& queue, const WorkAhead& ahead) const {
  double work_ms = ahead.running_ms + queue.controller.queue_ms(queue.texts, 0);
  for (const double other : ahead.others_ms) work_ms += other;
  return work_ms / settings_.workers / 1000;
}

// Turns are taken by time, not by batch: a model with long texts gets no more of the workers.
Schedule::ModelQueue* Schedule::next_queue() {
  const auto turn = [](const ModelQueue& queue) {
    return std::pair(queue.texts.front().priority, queue.used_ms);
  };
  ModelQueue* next = nullptr;
  for (ModelQueue& queue : queues_) {
    if (!queue.texts.empty() && (next == nullptr || turn(queue) < turn(*next))) next = &queue;
  }
  return next;
}

std::optional<Batch> Schedule::take(double now) {
  ModelQueue* const queue = next_queue();
  if (queue == nullptr) return std::nullopt;
  DeadlineController& controller = queue->controller;
  Batch batch;
  batch.model = static_cast<size_t>(queue - queues_.data());
  batch.number = ++batches_;
  batch.started_ms = now;
  const auto waiting = static_cast<int64_t>(queue->texts.size());
  const ControllerChoice chosen =
      controller.choose(now, queue->texts, work_ahead(batch.model, now));
  const CostLevels& levels = controller.levels();
  const auto spending_of = [&](const WaitingText& text) {
    return text_spending(levels, text, chosen.level);
  };
  const WaitingText& front = queue->texts.front();
  const Spending spending = spending_of(front);
  batch.level = chosen.level;
  batch.choice.budget = spending.budget;
  batch.choice.ladder = spending.thresholds;
  batch.choice.reason = front.budget ? BudgetReason::exact : chosen.reason;
  batch.choice.waiting = waiting;
  batch.choice.correction = controller.correction();
  batch.choice.lowered = spending != text_spending(levels, front, levels.top());
  batch.choice.given_up = given_up(levels, front, chosen.level);
  const int64_t part = (waiting + settings_.workers - 1) / settings_.workers;
  double longest_ms = 0;  // nine times in ten: a ladder takes a tenth of it or all
  while (!queue->texts.empty() && static_cast<int64_t>(batch.texts.size()) < part) {
    WaitingText& text = queue->texts.front();
    const LatencyEstimate work = controller.time_of(text, chosen.level);
    const bool fits = batch.tokens + text.tokens <= settings_.max_batch_tokens &&
                      longest_ms + work.p90_ms <= batch_ms && spending_of(text) == spending;
    if (!batch.texts.empty() && !fits) break;
    batch.tokens += text.tokens;
    batch.predicted_ms += work.median_ms;
    longest_ms += work.p90_ms;
    batch.texts.push_back(std::move(text));
    queue->texts.pop_front();
  }
  const double telling = static_cast<double>(batch.texts.size()) * controller.telling_ms();
  batch.median_ms = (batch.predicted_ms - telling) / controller.correction();
  last_used_ms_ = queue->used_ms;
  queue->used_ms += batch.predicted_ms;
  running_.push_back({batch.number, now + batch.predicted_ms});
  return batch;
}

void Schedule::finished(const Batch& batch, double now) {
  std::erase_if(running_, [&](const Running& run) { return run.number == batch.number; });
  ModelQueue& queue = queues_[batch.model];
  idle_since_ms_ = now;
  const double actual_ms = now - batch.started_ms;
  queue.used_ms += actual_ms - batch.predicted_ms;
  if (batch.climbed_ms) queue.controller.climbed(batch.texts, batch.level, *batch.climbed_ms);
  queue.controller.finished(batch.median_ms > 0 ? batch.climbed_ms.value_or(batch.median_ms) : 0,
                            actual_ms);
}

void Schedule::told(const Batch& batch, double ms) {
  const size_t texts = batch.texts.size();
  queues_[batch.model].controller.told(texts, ms / static_cast<double>(texts));
}

std::vector<WaitingText> Schedule::drop(size_t model, const PendingCall* call) {
  return extract(queues_[model].texts,
                 [&](const WaitingText& text) { return text.call.get() == call; });
}

std::vector<WaitingText> Schedule::drop_expired(double now) {
  std::vector<WaitingText> expired;
  for (ModelQueue& queue : queues_) {
    std::ranges::move(
        extract(queue.texts, [&](const WaitingText& text) { return text.deadline_ms <= now; }),
        std::back_inserter(expired));
  }
  return expired;
}

std::vector<WaitingText> Schedule::drop_all() {
  return drop_expired(std::numeric_limits<double>::infinity());
}

int64_t Schedule::waiting(size_t model) const {
  return static_cast<int64_t>(queues_[model].texts.size());
}

bool Schedule::idle() const {
  return running_.empty() && std::all_of(queues_.begin(), queues_.end(),
                                         [](const auto& queue) { return queue.texts.empty(); });
}

double Schedule::budget(size_t model, double now) {
  ModelQueue& queue = queues_[model];
  const ControllerChoice choice = queue.controller.choose(now, queue.texts, work_ahead(model, now));
  return queue.controller.levels().budget(choice.level);
}

}  // namespace headroom::server
