#include "server/service/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <thread>
#include <utility>

#include "base/error.h"
#include "budget/fraction.h"
#include "engine/worker_pool.h"
#include "server/service/dispatcher.h"

namespace headroom {
namespace {

double steady_ms() {
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void require(bool right, const std::string& complaint) {
  if (!right) throw Error(ErrorCode::usage, "serve", complaint);
}

// A time that is not above 0, NaN included, is a mistake; more than a day is no deadline anyone
// waits for.
void check_latency(const char* name, double ms) {
  constexpr double a_day = 86400e3;
  require(ms > 0 && ms <= a_day,
          fmt::format("{} is {}, expected milliseconds above 0 and at most a day", name, ms));
}

ServiceSettings checked(ServiceSettings settings) {
  if (settings.workers == 0) {
    settings.workers = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  }
  require(settings.workers >= 1 && settings.workers <= WorkerPool::most_threads,
          fmt::format("{} workers, expected 1 to {}", settings.workers, WorkerPool::most_threads));
  if (settings.slo_ms) check_latency("the service-level objective", *settings.slo_ms);
  checked_budget(settings.budget);
  checked_budget(settings.min_budget);
  require(settings.min_budget <= settings.budget,
          fmt::format("the least budget, {}, is above the usual one, {}", settings.min_budget,
                      settings.budget));
  require(settings.queue_limit >= 1, "the queue must hold at least one text");
  require(settings.max_batch_tokens >= 1, "a batch must hold at least one token");
  return settings;
}

std::vector<ServedModel> checked(std::vector<ServedModel> models) {
  require(!models.empty(), "no model to serve");
  std::set<std::string> names;
  for (const ServedModel& model : models) {
    require(names.insert(model.name).second, fmt::format("two models are named {}", model.name));
  }
  return models;
}

size_t place_of(const std::vector<ServedModel>& models, std::string_view name) {
  const auto found = std::find_if(models.begin(), models.end(),
                                  [&](const ServedModel& model) { return model.name == name; });
  require(found != models.end(), fmt::format("no model is named {}", name));
  return static_cast<size_t>(found - models.begin());
}

std::vector<Tokens> tokenise_all(const EngineModel& model, const std::vector<CallText>& texts) {
  std::vector<Tokens> inputs;
  inputs.reserve(texts.size());
  for (const CallText& text : texts) {
    inputs.push_back(tokenise(model, {text.text, text.pair}));
  }
  return inputs;
}

}  // namespace

CallTicket::CallTicket(std::weak_ptr<Dispatcher> dispatcher, std::weak_ptr<PendingCall> call)
    : dispatcher_(std::move(dispatcher)), call_(std::move(call)) {}

void CallTicket::abandon() {
  const auto dispatcher = dispatcher_.lock();
  const auto call = call_.lock();
  if (dispatcher && call) dispatcher->abandon(call);
}

Service::Service(std::vector<ServedModel> models, const ServiceSettings& settings,
                 ServiceObserver& observer, Clock clock)
    : dispatcher_(std::make_shared<Dispatcher>(checked(std::move(models)), checked(settings),
                                               observer, clock ? std::move(clock) : steady_ms)) {}

// A ticket may hold the dispatcher a moment longer, in a worker thread at worst; so the threads end
// here.
Service::~Service() {
  dispatcher_->stop();
}

CallTicket Service::submit(std::string_view model, const std::vector<CallText>& texts,
                           const Spend& spend, CallDone done) {
  const double arrived_ms = dispatcher_->now();
  const size_t place = place_of(models(), model);
  const ServedModel& served = models()[place];
  require(!texts.empty(), "the call has no text");
  if (spend.latency_ms) check_latency("latency_ms", *spend.latency_ms);
  if (spend.budget) served.engine->config().selection(*spend.budget);
  const std::optional<double> latency_ms = spend.latency_ms ? spend.latency_ms : settings().slo_ms;
  const double deadline_ms =
      latency_ms ? arrived_ms + *latency_ms : std::numeric_limits<double>::infinity();
  std::vector<Tokens> inputs = tokenise_all(*served.engine, texts);
  std::vector<WaitingText> waiting;
  waiting.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    WaitingText text{nullptr,    i,           static_cast<int64_t>(inputs[i].ids.size()),
                     arrived_ms, deadline_ms, spend.budget,
                     {}};
    const CostLevels& levels = dispatcher_->levels(place);
    if (spend.budget) {
      text.exact_time = served.table.estimate(*spend.budget, text.tokens);
    } else if (!latency_ms) {
      text.budget = levels.budget(levels.top());
      text.exact_time = levels.estimate(levels.top(), text.tokens);
    }
    waiting.push_back(std::move(text));
  }
  const auto call = std::make_shared<PendingCall>(place, std::move(inputs), arrived_ms, deadline_ms,
                                                  std::move(done));
  for (WaitingText& text : waiting) text.call = call;
  dispatcher_->submit(call, std::move(waiting));
  return {dispatcher_, call};
}

const std::vector<ServedModel>& Service::models() const {
  return dispatcher_->models();
}

const ServedModel* Service::find(std::string_view model) const {
  const auto found = std::find_if(models().begin(), models().end(),
                                  [&](const ServedModel& each) { return each.name == model; });
  return found == models().end() ? nullptr : &*found;
}

const ServiceSettings& Service::settings() const {
  return dispatcher_->settings();
}

LiveState Service::live(std::string_view model) const {
  return dispatcher_->live(place_of(models(), model));
}

void Service::stop_accepting() {
  dispatcher_->stop_accepting();
}

bool Service::accepting() const {
  return dispatcher_->accepting();
}

DrainReport Service::drain(std::chrono::milliseconds limit) {
  return dispatcher_->drain(limit);
}

}  // namespace headroom
