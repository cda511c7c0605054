#include "server/service/dispatcher.h"

#include <algorithm>
#include <exception>
#include <set>
#include <utility>

namespace headroom {
namespace {

std::vector<CostLevels> levels_of(const std::vector<ServedModel>& models,
                                  const ServiceSettings& settings) {
  std::vector<CostLevels> levels;
  levels.reserve(models.size());
  for (const ServedModel& model : models) {
    levels.emplace_back(model.table, settings.min_budget, settings.budget,
                        model.engine->config().shape.positions);
  }
  return levels;
}

ScheduleSettings schedule_settings(const ServiceSettings& settings) {
  return {settings.workers, settings.queue_limit, settings.max_batch_tokens, {}};
}

CallRefused draining() {
  return {Refusal::draining, 0, "the server is shutting down"};
}

CallAnswered answered_event(const PendingCall& call, double now) {
  const CallAnswer& answer = call.answer();
  CallAnswered event;
  event.texts = static_cast<int64_t>(answer.texts.size());
  event.tokens = call.tokens();
  for (const TextAnswer& text : answer.texts) {
    event.lowest_budget = std::min(event.lowest_budget, text.budget);
  }
  event.queue_ms = answer.queue_ms;
  event.inference_ms = answer.inference_ms;
  event.predicted_ms = answer.predicted_ms;
  event.total_ms = now - call.arrived_ms();
  event.late = now > call.deadline_ms();
  return event;
}

}  // namespace

Dispatcher::Dispatcher(std::vector<ServedModel> models, const ServiceSettings& settings,
                       ServiceObserver& observer, Service::Clock clock)
    : models_(std::move(models)),
      settings_(settings),
      levels_(levels_of(models_, settings)),
      observer_(observer),
      clock_(std::move(clock)),
      schedule_(levels_, schedule_settings(settings)),
      live_(models_.size()) {
  try {
    for (int i = 0; i < settings_.workers; ++i) {
      std::vector<RunBatch> runners;
      for (const ServedModel& model : models_) runners.push_back(model.make_runner());
      threads_.emplace_back([this, runners] { serve(runners); });
    }
  } catch (...) {  // no memory, no thread: those that did start must end
    stop();
    throw;
  }
}

Dispatcher::~Dispatcher() {
  stop();
}

void Dispatcher::submit(const std::shared_ptr<PendingCall>& call, std::vector<WaitingText> texts) {
  const std::string& name = models_[call->model()].name;
  const size_t count_of_texts = texts.size();
  Admission admission;
  {
    const std::lock_guard lock(mutex_);
    if (accepting_) {
      admission = schedule_.offer(call->model(), std::move(texts), clock_());
    } else {
      admission.refused = draining();
    }
    if (admission.refused) {
      live_[call->model()].refused(clock_(), admission.refused->why);
    } else {
      call->set_predicted(admission.predicted_ms);
      ++open_calls_;
    }
  }
  if (admission.refused) {
    observer_.call_refused(name, *admission.refused, 0);
    call->refuse(*admission.refused);
    return;
  }
  if (count_of_texts == 1) {
    work_came_.notify_one();
  } else {
    work_came_.notify_all();
  }
  observer_.call_accepted(
      name, {static_cast<int64_t>(count_of_texts), call->tokens(), admission.predicted_ms});
}

void Dispatcher::serve(const std::vector<RunBatch>& runners) {
  std::unique_lock lock(mutex_);
  while (true) {
    std::optional<Batch> batch;
    work_came_.wait(lock, [&] {
      batch = schedule_.take(clock_());
      return batch.has_value() || stopping_;
    });
    if (!batch) return;
    lock.unlock();
    Ran ran = run(*batch, runners[batch->model]);
    const double finished_ms = clock_();
    observer_.batch_run(
        models_[batch->model].name,
        {static_cast<int64_t>(batch->texts.size()), batch->tokens, batch->choice.budget,
         batch->predicted_ms, finished_ms - batch->started_ms});
    lock.lock();
    const Calls ended = record(*batch, std::move(ran), finished_ms);
    lock.unlock();
    tell(ended);
    batch.reset();  // its texts hold their calls
    lock.lock();
  }
}

Dispatcher::Ran Dispatcher::run(const Batch& batch, const RunBatch& runner) const {
  observer_.budget_chosen(models_[batch.model].name, batch.choice);
  try {
    std::vector<Tokens> inputs;
    inputs.reserve(batch.texts.size());
    for (const WaitingText& text : batch.texts) {
      inputs.push_back(text.call->take_input(text.place));
    }
    return {runner(inputs, batch.choice.budget), std::nullopt};
  } catch (const std::exception& error) {
    return {{}, CallRefused{Refusal::failed, 0, error.what()}};
  }
}

Dispatcher::Calls Dispatcher::record(const Batch& batch, Ran ran, double finished_ms) {
  schedule_.finished(batch, finished_ms);
  Calls ended;
  if (ran.failure) {
    drop_failed(batch, *ran.failure, ended);
  } else {
    for (size_t i = 0; i < batch.texts.size(); ++i) {
      const WaitingText& text = batch.texts[i];
      Answer& answer = ran.answers[i];
      text.call->answered(text.place,
                          {static_cast<int64_t>(answer.label), std::move(answer.scores),
                           answer.budget, answer.active_heads, answer.active_ffn, answer.tokens},
                          batch.started_ms - text.arrived_ms, finished_ms - batch.started_ms);
      if (text.call->ended()) ended.push_back(text.call);
    }
  }
  for (const auto& call : ended) count(*call);
  return ended;
}

// A call that cannot be answered whole is not worth more work.
void Dispatcher::drop_failed(const Batch& batch, const CallRefused& failure, Calls& ended) {
  for (const WaitingText& text : batch.texts) {
    text.call->failed(failure);
    if (text.call->ended()) {
      ended.push_back(text.call);
    } else {
      drop_texts(schedule_.drop(batch.model, text.call.get()), failure, ended);
    }
  }
}

void Dispatcher::drop_texts(const std::vector<WaitingText>& texts, const CallRefused& why,
                            Calls& ended) {
  for (const WaitingText& text : texts) {
    text.call->dropped(why);
    if (text.call->ended()) ended.push_back(text.call);
  }
}

void Dispatcher::count(const PendingCall& call) {
  LiveWindow& live = live_[call.model()];
  const double now = clock_();
  if (call.refused()) {
    live.refused(now, call.refused()->why);
    return;
  }
  double budgets = 0;
  for (const TextAnswer& text : call.answer().texts) budgets += text.budget;
  live.answered(now, now - call.arrived_ms(), static_cast<int64_t>(call.texts()), budgets);
}

void Dispatcher::tell(const Calls& ended) {
  if (ended.empty()) return;
  for (const auto& call : ended) {
    const std::string& name = models_[call->model()].name;
    if (call->refused()) {
      observer_.call_refused(name, *call->refused(), call->dropped());
    } else {
      observer_.call_answered(name, answered_event(*call, clock_()));
    }
    call->tell();
  }
  const std::lock_guard lock(mutex_);
  open_calls_ -= static_cast<int64_t>(ended.size());
  if (open_calls_ == 0) calls_ended_.notify_all();
}

void Dispatcher::abandon(const std::shared_ptr<PendingCall>& call) {
  Calls ended;
  {
    const std::lock_guard lock(mutex_);
    drop_texts(schedule_.drop(call->model(), call.get()),
               {Refusal::abandoned, 0, "the client went away"}, ended);
    for (const auto& each : ended) count(*each);
  }
  tell(ended);
}

LiveState Dispatcher::live(size_t model) const {
  const std::lock_guard lock(mutex_);
  const double now = clock_();
  LiveState state = live_[model].state(now);
  state.queue = schedule_.waiting(model);
  state.queue_limit = settings_.queue_limit;
  state.budget = schedule_.budget(model, now);
  state.min_budget = levels_[model].budget(0);
  state.draining = !accepting_;
  return state;
}

void Dispatcher::stop_accepting() {
  const std::lock_guard lock(mutex_);
  accepting_ = false;
}

bool Dispatcher::accepting() const {
  const std::lock_guard lock(mutex_);
  return accepting_;
}

DrainReport Dispatcher::drain(std::chrono::milliseconds limit) {
  DrainReport report;
  Calls ended;
  std::unique_lock lock(mutex_);
  accepting_ = false;
  const int64_t open = open_calls_;
  calls_ended_.wait_for(lock, limit, [this] { return open_calls_ == 0; });
  std::vector<WaitingText> cut = schedule_.drop_all();
  std::set<const PendingCall*> cut_calls;
  for (const WaitingText& text : cut) cut_calls.insert(text.call.get());
  report.cut = static_cast<int64_t>(cut_calls.size());
  drop_texts(cut, draining(), ended);
  for (const auto& call : ended) count(*call);
  lock.unlock();
  tell(ended);
  lock.lock();
  calls_ended_.wait(lock, [this] { return open_calls_ == 0; });
  report.finished = open - report.cut;
  return report;
}

void Dispatcher::stop() {
  drain(std::chrono::milliseconds(0));
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_came_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace headroom
