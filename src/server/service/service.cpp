#include "server/service/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <latch>
#include <set>
#include <utility>

#include "base/prompt_thread.h"

namespace headroom::server {
namespace {

double steady_ms() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::vector<ServedModel> checked(std::vector<ServedModel> models) {
  require(!models.empty(), "no model to serve");
  std::set<std::string> names;
  for (const ServedModel& model : models) {
    require(names.insert(model.name).second, fmt::format("two models are named {}", model.name));
  }
  return models;
}

std::vector<CostLevels> levels_of(const std::vector<ServedModel>& models,
                                  const ServiceSettings& settings) {
  std::vector<CostLevels> levels;
  levels.reserve(models.size());
  for (const ServedModel& model : models) {
    // Below what was measured there is the bag of n-grams alone, where the model has one.
    const double least = settings.min_budget == 0 && !model.rung_zero
                             ? model.table.budgets().front()
                             : settings.min_budget;
    levels.emplace_back(model.table, least, settings.budget, model.config.shape.positions,
                        model.policy ? &*model.policy : nullptr, model.bag_token_ms);
  }
  return levels;
}

// What a text may be given that names no budget.
std::set<double> budgets_to_run(const ServedModel& model, const CostLevels& levels) {
  std::set<double> budgets;
  for (size_t level = 0; level < levels.count(); ++level) budgets.insert(levels.budget(level));
  if (model.policy) {
    for (const Rung& rung : model.policy->rungs) budgets.insert(rung.budget);
  }
  return budgets;
}

size_t index_of(const std::vector<ServedModel>& models, const std::string& name) {
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const ServedModel& model) { return model.name == name; });
  require(found != models.end(), fmt::format("no model is named {}", name));
  return static_cast<size_t>(found - models.begin());
}

CallRefused draining() {
  return {Refusal::draining, 0, "the server is shutting down"};
}

CallAnswered answered_event(const PendingCall& call, double now) {
  const CallAnswer& answer = call.answer();
  CallAnswered event;
  event.texts = static_cast<int64_t>(answer.texts.size());
  event.tokens = call.tokens();
  for (const Answer& text : answer.texts) {
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

Service::Service(std::vector<ServedModel> models, const ServiceSettings& settings,
                 ServiceObserver& observer, Clock clock)
    : models_(checked(std::move(models))),
      settings_(checked(settings)),
      levels_(levels_of(models_, settings_)),
      observer_(observer),
      clock_(clock ? std::move(clock) : steady_ms),
      schedule_(levels_, {settings_.workers,
                          settings_.queue_limit,
                          settings_.max_batch_tokens,
                          {},
                          settings_.max_deadline_ms}),
      live_(models_.size()) {
  link_->service = this;
  for (const ServedModel& model : models_) {
    all_cores_.push_back(model.make_runner(settings_.workers));
  }
  const auto warm = std::make_shared<std::latch>(settings_.workers);
  try {
    for (int i = 0; i < settings_.workers; ++i) {
      std::vector<RunBatch> runners;
      for (const ServedModel& model : models_) runners.push_back(model.make_runner(1));
      threads_.emplace_back([this, runners, warm] {
        compute_patiently();
        warm_up(runners);
        warm->count_down();
        work(runners);
      });
    }
    warm->wait();
    warm_up(all_cores_);
  } catch (...) {  // no memory, no thread: those that did start must end
    stop();
    throw;
  }
}

Service::~Service() {
  stop();
  const std::lock_guard lock(link_->mutex);
  link_->service = nullptr;
}

const ServedModel* Service::pick(const std::string& name) const {
  std::shared_ptr<const ModelRoutes> routes;
  {
    const std::lock_guard lock(routes_mutex_);
    routes = routes_;
  }
  const std::string* target = routes->pick(name);
  return Backend::pick(target != nullptr ? *target : name);
}

void Service::set_routes(const std::vector<ModelRoute>& routes) {
  auto fresh = std::make_shared<const ModelRoutes>(routes);
  const std::lock_guard lock(routes_mutex_);
  routes_ = std::move(fresh);
}

// The first batch of a runner allocates what later ones use again, and the first at a budget makes
// its plan: a budget falls when there is no time for that.
void Service::warm_up(const std::vector<RunBatch>& runners) const {
  for (size_t i = 0; i < runners.size(); ++i) {
    if (models_[i].warm_up.ids.empty()) continue;
    for (const double budget : budgets_to_run(models_[i], levels_[i])) {
      try {
        runners[i](std::span(&models_[i].warm_up, 1), budget, {});
      } catch (const std::exception&) {  // whoever asks is told
      }
    }
  }
}

Abandon Service::submit(const Call& call, CallDone done) {
  const size_t model = index_of(models_, call.model);
  const ServedModel& served = models_[model];
  const CallTerms terms = terms_of(call, served, settings_, clock_() - call.waited_ms);
  std::vector<Tokens> inputs = call.inputs;
  for (const Text& text : call.texts) inputs.push_back(served.tokenise(text));
  std::vector<std::optional<Answer>> known = known_answers(model, terms, inputs);
  known.resize(inputs.size());
  std::vector<WaitingText> waiting;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (known[i]) continue;
    const auto tokens = static_cast<int64_t>(inputs[i].ids.size());
    waiting.push_back(waiting_text(call, terms, served, levels_[model], i, tokens));
  }
  const auto pending = std::make_shared<PendingCall>(model, std::move(inputs), terms.arrived_ms,
                                                     terms.deadline_ms, std::move(done));
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i]) pending->known(i, std::move(*known[i]));
  }
  for (WaitingText& text : waiting) text.call = pending;
  // Made before: what throws behind queue() would be told as an error, and then answered.
  Abandon abandon = [link = link_, weak = std::weak_ptr(pending)] {
    const auto abandoned = weak.lock();
    if (!abandoned) return;
    const std::lock_guard lock(link->mutex);
    if (link->service != nullptr) link->service->abandon(abandoned);
  };
  queue(pending, std::move(waiting));
  return abandon;
}

std::vector<std::optional<Answer>> Service::known_answers(size_t model, const CallTerms& terms,
                                                          const std::vector<Tokens>& inputs) const {
  const ServedModel& served = models_[model];
  if (!settings_.cache || served.id == 0) return {};
  const CostLevels& levels = levels_[model];
  const double budget = terms.budget.value_or(terms.most.value_or(levels.budget(levels.top())));
  const std::optional<size_t> ladder =
      terms.automatic ? levels.ladder_step(levels.top()).thresholds : std::nullopt;
  std::vector<std::optional<Answer>> known;
  int64_t hits = 0;
  for (const Tokens& input : inputs) {
    known.push_back(settings_.cache->find(AnswerCache::key(served.id, budget, ladder, input)));
    hits += known.back() ? 1 : 0;
  }
  observer_.cache_asked(served.name, hits, static_cast<int64_t>(inputs.size()) - hits);
  return known;
}

// Under what ran, which may be less than what was asked for.
void Service::keep(const Batch& batch, const std::vector<Tokens>& inputs,
                   const std::vector<Answer>& answers) const {
  const uint64_t id = models_[batch.model].id;
  if (!settings_.cache || id == 0) return;
  try {
    for (size_t i = 0; i < inputs.size(); ++i) {
      settings_.cache->store(
          AnswerCache::key(id, batch.choice.budget, batch.choice.ladder, inputs[i]), answers[i]);
    }
  } catch (const std::bad_alloc&) {  // they run again
  }
}

void Service::queue(const std::shared_ptr<PendingCall>& call, std::vector<WaitingText> texts) {
  const std::string& name = models_[call->model()].name;
  Admission admission;
  PendingCalls ended;
  {
    const std::lock_guard lock(mutex_);
    if (!accepting_) {
      admission.refused = draining();
    } else if (!texts.empty()) {
      admission = schedule_.offer(call->model(), std::move(texts), clock_());
    }
    if (admission.refused) {
      live_[call->model()].refused(clock_(), admission.refused->why);
    } else {
      call->set_predicted(admission.predicted_ms);
      ++open_calls_;
      ++accepted_;
      if (call->ended()) ended.push_back(call);  // the cache had all of it
      end_with({Refusal::queue_full, admission.predicted_ms / 1000,
                "the queue is full, and calls with earlier deadlines came"},
               admission.displaced, ended);
      count(ended);
    }
  }
  if (admission.refused) {
    observer_.call_refused(name, *admission.refused, static_cast<int64_t>(call->texts()));
    call->refuse(*std::move(admission.refused));
    return;
  }
  if (call->texts() == 1) {
    work_came_.notify_one();
  } else {
    work_came_.notify_all();
  }
  observer_.call_accepted(
      name, {static_cast<int64_t>(call->texts()), call->tokens(), admission.predicted_ms});
  tell(ended);
}

void Service::work(const std::vector<RunBatch>& runners) {
  std::unique_lock lock(mutex_);
  while (true) {
    std::optional<Batch> batch;
    PendingCalls ended;
    work_came_.wait(lock, [&] {
      const double now = clock_();
      end_with({Refusal::deadline_passed, 0, "the deadline passed before a worker was free"},
               schedule_.drop_expired(now), ended);
      batch = schedule_.take(now);
      return batch.has_value() || !ended.empty() || stopping_;
    });
    count(ended);
    const bool alone = batch && is_alone(*batch);
    const bool on_all_cores = alone && solo_runs_.undisturbed();
    const int64_t accepted = accepted_;
    if (on_all_cores) batch->median_ms = 0;  // the table is of one core: nothing to be learnt
    if (batch) ++running_;
    lock.unlock();
    tell(ended);
    if (!batch) {
      lock.lock();
      if (stopping_) return;
      continue;
    }
    Ran ran = run(*batch, (on_all_cores ? all_cores_ : runners)[batch->model]);
    const double finished_ms = clock_();
    observer_.batch_run(models_[batch->model].name,
                        {static_cast<int64_t>(batch->texts.size()), batch->tokens,
                         batch->choice.budget, batch->predicted_ms, finished_ms - batch->started_ms,
                         batch->choice.reason == BudgetReason::exact ? 0 : batch->choice.given_up});
    lock.lock();
    --running_;
    if (alone) solo_runs_.ended(accepted_ != accepted);
    if (batch->choice.ladder) batch->climbed_ms = climbed_ms(*batch, ran.answers);
    ended = record(*batch, std::move(ran), finished_ms);
    count(ended);
    lock.unlock();
    tell(ended);
    for (WaitingText& text : batch->texts) text.call.reset();
    lock.lock();
    schedule_.told(*batch, clock_() - finished_ms);
  }
}

// What the latency table gives to the rungs that ran.
std::optional<double> Service::climbed_ms(const Batch& batch,
                                          const std::vector<Answer>& answers) const {
  if (answers.size() != batch.texts.size()) return std::nullopt;  // it failed
  double sum = 0;
  for (size_t i = 0; i < answers.size(); ++i) {
    sum += levels_[batch.model].climbed_ms(answers[i].rungs.size(), batch.texts[i].tokens);
  }
  return sum;
}

bool Service::is_alone(const Batch& batch) const {
  int64_t waiting = 0;
  for (size_t model = 0; model < models_.size(); ++model) waiting += schedule_.waiting(model);
  return batch.texts.size() == 1 && running_ == 0 && waiting == 0;
}

Service::Ran Service::run(const Batch& batch, const RunBatch& runner) const {
  observer_.budget_chosen(models_[batch.model].name, batch.choice);
  try {
    std::vector<Tokens> inputs;
    inputs.reserve(batch.texts.size());
    for (const WaitingText& text : batch.texts) {
      inputs.push_back(text.call->take_input(text.index));
    }
    Ran ran{runner(inputs, batch.choice.budget, batch.choice.ladder), std::nullopt};
    keep(batch, inputs, ran.answers);
    return ran;
  } catch (const std::exception& error) {
    return {{}, CallRefused{Refusal::failed, 0, error.what()}};
  }
}

Service::PendingCalls Service::record(const Batch& batch, Ran ran, double finished_ms) {
  schedule_.finished(batch, finished_ms);
  PendingCalls ended;
  for (size_t i = 0; i < batch.texts.size(); ++i) {
    const WaitingText& text = batch.texts[i];
    if (ran.failure) {
      text.call->failed(*ran.failure);
    } else {
      text.call->answered(text.index, std::move(ran.answers[i]), batch.started_ms - text.arrived_ms,
                          finished_ms - batch.started_ms);
      if (batch.choice.lowered) {
        text.call->set_lowered(batch.choice.ladder ? Lowered::thresholds : Lowered::budget);
      }
    }
    if (text.call->ended()) {
      ended.push_back(text.call);
    } else if (ran.failure) {
      end_with(*ran.failure, schedule_.drop(batch.model, text.call.get()), ended);
    }
  }
  return ended;
}

// A call that cannot be answered whole is not worth more work: what waits of it goes too.
void Service::end_with(const CallRefused& why, const std::vector<WaitingText>& removed,
                       PendingCalls& ended) {
  for (const WaitingText& text : removed) {
    text.call->dropped(why);
    for (const WaitingText& rest : schedule_.drop(text.call->model(), text.call.get())) {
      rest.call->dropped(why);
    }
    if (text.call->ended()) ended.push_back(text.call);
  }
}

void Service::count(const PendingCalls& ended) {
  const double now = clock_();
  for (const auto& call : ended) {
    LiveWindow& live = live_[call->model()];
    if (call->refused()) {
      live.refused(now, call->refused()->why);
      continue;
    }
    double budgets = 0;
    for (const Answer& text : call->answer().texts) budgets += text.budget;
    live.answered(now, now - call->arrived_ms(), static_cast<int64_t>(call->texts()), budgets);
  }
}

void Service::tell(const PendingCalls& ended) {
  if (ended.empty()) return;
  for (const auto& call : ended) {
    const std::string& name = models_[call->model()].name;
    if (call->refused()) {
      observer_.call_refused(name, *call->refused(), static_cast<int64_t>(call->texts()));
    } else {
      observer_.call_answered(name, answered_event(*call, clock_()));
    }
    try {
      call->tell();
    } catch (const std::exception&) {  // its own answer is lost; the thread goes on for the others
    }
  }
  const std::lock_guard lock(mutex_);
  open_calls_ -= static_cast<int64_t>(ended.size());
  if (open_calls_ == 0) calls_ended_.notify_all();
}

void Service::abandon(const std::shared_ptr<PendingCall>& call) {
  PendingCalls ended;
  {
    const std::lock_guard lock(mutex_);
    end_with({Refusal::abandoned, 0, "the client went away"},
             schedule_.drop(call->model(), call.get()), ended);
    count(ended);
  }
  tell(ended);
}

LiveState Service::live(const std::string& model) const {
  const size_t index = index_of(models_, model);
  const std::lock_guard lock(mutex_);
  const double now = clock_();
  LiveState state = live_[index].state(now);
  state.queue = schedule_.waiting(index);
  state.queue_limit = settings_.queue_limit;
  state.budget = schedule_.budget(index, now);
  state.min_budget = levels_[index].budget(0);
  state.draining = !accepting_;
  return state;
}

DrainReport Service::drain(std::chrono::milliseconds limit) {
  DrainReport report;
  PendingCalls ended;
  std::unique_lock lock(mutex_);
  accepting_ = false;
  const int64_t open = open_calls_;
  calls_ended_.wait_for(lock, limit, [this] { return open_calls_ == 0; });
  const std::vector<WaitingText> cut = schedule_.drop_all();
  std::set<const PendingCall*> cut_calls;
  for (const WaitingText& text : cut) cut_calls.insert(text.call.get());
  report.cut = static_cast<int64_t>(cut_calls.size());
  end_with(draining(), cut, ended);
  count(ended);
  lock.unlock();
  tell(ended);
  lock.lock();
  calls_ended_.wait(lock, [this] { return open_calls_ == 0; });
  report.finished = open - report.cut;
  return report;
}

void Service::stop() {
  drain(std::chrono::milliseconds(0));
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_came_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

}  // namespace headroom::server
