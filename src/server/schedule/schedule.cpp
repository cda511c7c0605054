#include "server/schedule/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace headroom {
namespace {

// The engine runs one text after the other, so a batch saves no arithmetic: per text, 32 at once
// take what one takes. It saves a wake-up and two locks, some 20 us; a millisecond's work makes
// these 2 %, and a text waits no longer than that for its companions.
constexpr double batch_ms = 1;

}  // namespace

Schedule::Schedule(std::vector<CostLevels> models, const ScheduleSettings& settings)
    : settings_(settings) {
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

Admission Schedule::offer(size_t model, std::vector<WaitingText> texts, double now) {
  ModelQueue& queue = queues_[model];
  if (idle()) {
    for (ModelQueue& each : queues_) each.controller.idled(std::max(0.0, now - idle_since_ms_));
    idle_since_ms_ = now;
  }
  const WorkAhead ahead = work_ahead(model, now);
  const size_t first = queue.texts.size();
  if (static_cast<int64_t>(first + texts.size()) > settings_.queue_limit) {
    return {CallRefused{Refusal::queue_full, drain_seconds(queue, ahead),
                        fmt::format("{} texts are waiting and at most {} may", first,
                                    settings_.queue_limit)},
            0};
  }
  if (queue.texts.empty()) queue.used_ms = std::max(queue.used_ms, turn_ms_);
  const auto added = static_cast<ptrdiff_t>(texts.size());
  std::move(texts.begin(), texts.end(), std::back_inserter(queue.texts));
  if (!queue.controller.reachable(now, queue.texts, first, ahead)) {
    const double needed_ms =
        queue.controller.finish_ms(now, queue.texts, queue.texts.size() - 1, 0, ahead) - now;
    queue.texts.erase(queue.texts.end() - added, queue.texts.end());
    return {CallRefused{Refusal::deadline_unreachable, drain_seconds(queue, ahead),
                        fmt::format("the call would take about {:.1f} ms, even at the least budget",
                                    needed_ms)},
            0};
  }
  for (size_t i = first; i < queue.texts.size(); ++i) queue.controller.arrived(now, queue.texts[i]);
  const size_t level = queue.controller.choose(now, queue.texts, ahead).level;
  const size_t last = queue.texts.size() - 1;
  return {std::nullopt, queue.controller.finish_ms(now, queue.texts, last, level, ahead) - now};
}

double Schedule::drain_seconds(const ModelQueue& queue, const WorkAhead& ahead) const {
  double work_ms = ahead.running_ms + queue.controller.queue_ms(queue.texts, 0);
  for (const double other : ahead.others_ms) work_ms += other;
  return work_ms / settings_.workers / 1000;
}

// Turns are taken by time, not by batch: a model with long texts gets no more of the workers.
Schedule::ModelQueue* Schedule::next_queue() {
  ModelQueue* next = nullptr;
  for (ModelQueue& queue : queues_) {
    if (!queue.texts.empty() && (next == nullptr || queue.used_ms < next->used_ms)) next = &queue;
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
  const auto budget_of = [&](const WaitingText& text) {
    return text.budget.value_or(controller.levels().budget(chosen.level));
  };
  const WaitingText& front = queue->texts.front();
  batch.choice = {budget_of(front), front.budget ? BudgetReason::exact : chosen.reason, waiting,
                  controller.correction()};
  const int64_t part = (waiting + settings_.workers - 1) / settings_.workers;
  while (!queue->texts.empty() && static_cast<int64_t>(batch.texts.size()) < part) {
    WaitingText& text = queue->texts.front();
    const double work = controller.work_ms(text, chosen.level);
    const bool fits = batch.tokens + text.tokens <= settings_.max_batch_tokens &&
                      batch.predicted_ms + work <= batch_ms &&
                      budget_of(text) == batch.choice.budget;
    if (!batch.texts.empty() && !fits) break;
    batch.tokens += text.tokens;
    batch.predicted_ms += work;
    batch.texts.push_back(std::move(text));
    queue->texts.pop_front();
  }
  batch.median_ms = batch.predicted_ms / controller.correction();
  turn_ms_ = queue->used_ms;
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
  queue.controller.finished(batch.median_ms, actual_ms);
}

std::vector<WaitingText> Schedule::drop(size_t model, const PendingCall* call) {
  auto& texts = queues_[model].texts;
  const auto dropped = std::stable_partition(
      texts.begin(), texts.end(), [&](const WaitingText& text) { return text.call.get() != call; });
  std::vector<WaitingText> result(std::make_move_iterator(dropped),
                                  std::make_move_iterator(texts.end()));
  texts.erase(dropped, texts.end());
  return result;
}

std::vector<WaitingText> Schedule::drop_all() {
  std::vector<WaitingText> result;
  for (ModelQueue& queue : queues_) {
    std::move(queue.texts.begin(), queue.texts.end(), std::back_inserter(result));
    queue.texts.clear();
  }
  return result;
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

}  // namespace headroom
