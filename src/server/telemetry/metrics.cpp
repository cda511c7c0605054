#include "server/telemetry/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <atomic>
#include <set>

#include "base/measure/machine.h"
#include "server/telemetry/pressure.h"

namespace headroom::server {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using Buckets = Histogram::BucketBoundaries;

// From the overhead of a request to a deadline nobody would set.
const Buckets seconds = {0.0001, 0.00025, 0.0005, 0.001, 0.002, 0.005, 0.01,
                         0.02,   0.05,    0.1,    0.2,   0.5,   1,     5};
const Buckets eighths = {0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1};
const Buckets powers_of_two = {1, 2, 4, 8, 16, 32, 64};
// Actual over predicted time: 1 is a perfect prediction.
const Buckets ratios = {0.25, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 2, 4, 8};

}  // namespace

struct Metrics::Families {
  template <typename Builder>
  auto& add(Builder builder, const char* name, const char* help) {
    return builder.Name(name).Help(help).Register(registry);
  }
  Family<Counter>& counter(const char* name, const char* help) {
    return add(prometheus::BuildCounter(), name, help);
  }
  Family<Gauge>& gauge(const char* name, const char* help) {
    return add(prometheus::BuildGauge(), name, help);
  }
  Family<Histogram>& histogram(const char* name, const char* help) {
    return add(prometheus::BuildHistogram(), name, help);
  }

  prometheus::Registry registry;
  Family<Counter>& requests =
      counter("headroom_requests_total", "HTTP responses; 499: the client left before it");
  Counter& failures =
      counter("headroom_internal_errors_total", "Requests that failed by the server's fault")
          .Add({});
  Counter& log_lines_dropped =
      counter("headroom_log_lines_dropped_total", "Lines of the log that its reader did not take")
          .Add({});
  Family<Counter>& tokens = counter("headroom_tokens_total", "Tokens of answered texts");
  Family<Counter>& texts = counter("headroom_texts_total", "Answered texts");
  Family<Counter>& late = counter("headroom_late_total", "Calls answered after their deadline");
  Family<Counter>& refusals = counter("headroom_refusals_total", "Calls refused, by reason");
  Family<Counter>& abandoned =
      counter("headroom_abandoned_total", "Calls whose client left before the answer");
  Family<Counter>& cache_hits =
      counter("headroom_cache_hits_total", "Texts whose answer was kept from before");
  Family<Counter>& cache_misses =
      counter("headroom_cache_misses_total", "Texts that had to run though there is a cache");
  Gauge& cache_bytes = gauge("headroom_cache_bytes", "Memory of answers that are kept").Add({});
  Family<Counter>& changes =
      counter("headroom_controller_changes_total", "Changes of the budget in use");
  Family<Counter>& threshold_changes =
      counter("headroom_threshold_changes_total", "Changes of the thresholds that ladders stop at");
  Family<Gauge>& ladder =
      gauge("headroom_ladder_level", "Thresholds in use: the policy's level, 0 the lowest");
  Family<Gauge>& queue = gauge("headroom_queue_length", "Texts waiting");
  Family<Gauge>& budget = gauge("headroom_budget_ratio", "Budget in use");
  Family<Gauge>& pressure =
      gauge("headroom_pressure_ratio",
            "Share of the usual budget that load took away lately; 1: refused");
  Family<Gauge>& correction =
      gauge("headroom_correction_ratio", "Time that work takes over what the latency table says");
  Gauge& memory = gauge("process_resident_memory_bytes", "Resident memory of this process").Add({});
  Family<Histogram>& request_seconds =
      histogram("headroom_request_duration_seconds", "From a request's last byte to its answer");
  Family<Histogram>& queue_seconds =
      histogram("headroom_queue_duration_seconds", "Time a call waited");
  Family<Histogram>& inference_seconds =
      histogram("headroom_inference_duration_seconds", "Time of a batch in the engine");
  Family<Histogram>& answer_budget =
      histogram("headroom_answer_budget_ratio", "Lowest budget of each answered call");
  Family<Histogram>& batch_texts = histogram("headroom_batch_texts", "Texts in a batch");
  Family<Histogram>& prediction =
      histogram("headroom_prediction_error_ratio", "Actual over predicted time of a batch");
};

struct Metrics::PerModel {
  PerModel(Families& families, std::string model)
      : name(std::move(model)),
        tokens(families.tokens.Add({{"model", name}})),
        texts(families.texts.Add({{"model", name}})),
        late(families.late.Add({{"model", name}})),
        abandoned(families.abandoned.Add({{"model", name}})),
        cache_hits(families.cache_hits.Add({{"model", name}})),
        cache_misses(families.cache_misses.Add({{"model", name}})),
        lowered(families.changes.Add({{"model", name}, {"direction", "down"}})),
        raised(families.changes.Add({{"model", name}, {"direction", "up"}})),
        thresholds_lowered(
            families.threshold_changes.Add({{"model", name}, {"direction", "down"}})),
        thresholds_raised(families.threshold_changes.Add({{"model", name}, {"direction", "up"}})),
        ladder(families.ladder.Add({{"model", name}})),
        queue(families.queue.Add({{"model", name}})),
        budget(families.budget.Add({{"model", name}})),
        pressure_ratio(families.pressure.Add({{"model", name}})),
        correction(families.correction.Add({{"model", name}})),
        request_seconds(families.request_seconds.Add({{"model", name}}, seconds)),
        queue_seconds(families.queue_seconds.Add({{"model", name}}, seconds)),
        inference_seconds(families.inference_seconds.Add({{"model", name}}, seconds)),
        answer_budget(families.answer_budget.Add({{"model", name}}, eighths)),
        batch_texts(families.batch_texts.Add({{"model", name}}, powers_of_two)),
        prediction(families.prediction.Add({{"model", name}}, ratios)) {}

  std::string name;
  bool told = true;  // guarded by Metrics::mutex_
  Counter& tokens;
  Counter& texts;
  Counter& late;
  Counter& abandoned;
  Counter& cache_hits;
  Counter& cache_misses;
  Counter& lowered;
  Counter& raised;
  Counter& thresholds_lowered;
  Counter& thresholds_raised;
  Gauge& ladder;
  Gauge& queue;
  Gauge& budget;
  Gauge& pressure_ratio;
  Pressure pressure;
  Gauge& correction;
  Histogram& request_seconds;
  Histogram& queue_seconds;
  Histogram& inference_seconds;
  Histogram& answer_budget;
  Histogram& batch_texts;
  Histogram& prediction;
  std::atomic<double> last_budget = 1;
  std::atomic<int64_t> last_ladder = -1;  // none yet
};

Metrics::Metrics(const std::vector<std::string>& models) : families_(std::make_unique<Families>()) {
  for (const std::string& model : models) add_model(model);
}

void Metrics::add_model(const std::string& model) {
  const std::lock_guard lock(mutex_);
  for (const auto& entry : models_) {
    if (entry->name != model) continue;
    entry->told = true;
    return;
  }
  models_.push_back(std::make_unique<PerModel>(*families_, model));
  models_.back()->budget.Set(1);
  models_.back()->correction.Set(1);
}

void Metrics::tell_only(const std::vector<std::string>& models) {
  const std::lock_guard lock(mutex_);
  for (const auto& entry : models_) {
    entry->told = std::find(models.begin(), models.end(), entry->name) != models.end();
  }
}

Metrics::~Metrics() = default;

Metrics::PerModel* Metrics::find(const std::string& model) const {
  const std::shared_lock lock(mutex_);
  for (const auto& entry : models_) {
    if (entry->name == model) return entry.get();
  }
  return nullptr;
}

void Metrics::call_accepted(const std::string& /*model*/, const CallAccepted& /*call*/) noexcept {}

void Metrics::call_answered(const std::string& model, const CallAnswered& call) noexcept {
  PerModel* metrics = find(model);
  if (metrics == nullptr) return;
  metrics->texts.Increment(static_cast<double>(call.texts));
  metrics->tokens.Increment(static_cast<double>(call.tokens));
  if (call.late) metrics->late.Increment();
  metrics->queue_seconds.Observe(call.queue_ms / 1000);
  metrics->answer_budget.Observe(call.lowest_budget);
}

void Metrics::call_refused(const std::string& model, const CallRefused& call,
                           int64_t texts) noexcept {
  PerModel* metrics = find(model);
  if (metrics == nullptr) return;
  if (call.why == Refusal::abandoned) {
    metrics->abandoned.Increment();
    return;
  }
  if (call.why == Refusal::failed) families_->failures.Increment();
  const bool for_load = call.why == Refusal::queue_full || call.why == Refusal::overloaded ||
                        call.why == Refusal::deadline_passed;
  if (for_load) metrics->pressure.add(1, static_cast<double>(texts), steady_seconds());
  try {
    families_->refusals.Add({{"model", model}, {"reason", std::string(refusal_name(call.why))}})
        .Increment();
  } catch (const std::bad_alloc&) {  // not counted
  }
}

void Metrics::cache_asked(const std::string& model, int64_t hits, int64_t misses) noexcept {
  PerModel* metrics = find(model);
  if (metrics == nullptr) return;
  metrics->cache_hits.Increment(static_cast<double>(hits));
  metrics->cache_misses.Increment(static_cast<double>(misses));
  metrics->pressure.add(0, static_cast<double>(hits), steady_seconds());
}

void Metrics::budget_chosen(const std::string& model, const BudgetChoice& choice) noexcept {
  PerModel* metrics = find(model);
  // A budget that the client named is no decision of the controller.
  if (metrics == nullptr || choice.reason == BudgetReason::exact) return;
  metrics->correction.Set(choice.correction);
  if (choice.ladder) {  // its budgets stay; what moves are its thresholds
    const auto level = static_cast<int64_t>(*choice.ladder);
    metrics->ladder.Set(static_cast<double>(level));
    const int64_t known = metrics->last_ladder.exchange(level);
    if (known < 0 ? choice.lowered : level < known) metrics->thresholds_lowered.Increment();
    if (known >= 0 && level > known) metrics->thresholds_raised.Increment();
    return;
  }
  metrics->budget.Set(choice.budget);
  const double before = metrics->last_budget.exchange(choice.budget);
  if (choice.budget < before) metrics->lowered.Increment();
  if (choice.budget > before) metrics->raised.Increment();
}

void Metrics::batch_run(const std::string& model, const BatchRun& batch) noexcept {
  PerModel* metrics = find(model);
  if (metrics == nullptr) return;
  metrics->pressure.add(batch.given_up, static_cast<double>(batch.texts), steady_seconds());
  metrics->inference_seconds.Observe(batch.actual_ms / 1000);
  metrics->batch_texts.Observe(static_cast<double>(batch.texts));
  if (batch.predicted_ms > 0) metrics->prediction.Observe(batch.actual_ms / batch.predicted_ms);
}

void Metrics::request_done(const HttpHead& /*head*/, const HttpResponse& response,
                           double seconds_taken) noexcept {
  try {
    families_->requests.Add({{"model", response.model}, {"code", std::to_string(response.status)}})
        .Increment();
  } catch (const std::bad_alloc&) {  // not counted: the answer matters more
  }
  if (PerModel* metrics = find(response.model); metrics != nullptr && response.status == 200) {
    metrics->request_seconds.Observe(seconds_taken);
  }
}

void Metrics::request_failed(const std::string& /*why*/) noexcept {
  families_->failures.Increment();
}

void Metrics::clear_queue_lengths() noexcept {
  const std::shared_lock lock(mutex_);
  for (const auto& model : models_) model->queue.Set(0);
}

void Metrics::set_queue_length(const std::string& model, int64_t texts) noexcept {
  if (PerModel* metrics = find(model)) metrics->queue.Set(static_cast<double>(texts));
}

void Metrics::set_cache_bytes(uint64_t bytes) noexcept {
  families_->cache_bytes.Set(static_cast<double>(bytes));
}

void Metrics::set_log_lines_dropped(int64_t lines) noexcept {
  Counter& counter = families_->log_lines_dropped;
  counter.Increment(static_cast<double>(lines) - counter.Value());
}

std::string Metrics::text() const {
  const std::shared_lock lock(mutex_);
  for (const auto& model : models_) {
    model->pressure_ratio.Set(model->pressure.ratio(steady_seconds()));
  }
  families_->memory.Set(static_cast<double>(resident_memory_bytes()));
  std::set<std::string> silent;
  for (const auto& model : models_) {
    if (!model->told) silent.insert(model->name);
  }
  std::vector<prometheus::MetricFamily> families = families_->registry.Collect();
  for (prometheus::MetricFamily& family : families) {
    std::erase_if(family.metric, [&](const prometheus::ClientMetric& metric) {
      return std::any_of(metric.label.begin(), metric.label.end(), [&](const auto& label) {
        return label.name == "model" && silent.contains(label.value);
      });
    });
  }
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace headroom::server
