// What the server does behind its HTTP door: models that answer calls, a bounded queue each, worker
// threads, and the controller that picks budgets. Knows nothing of HTTP.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/service/call.h"
#include "server/service/observer.h"
#include "server/service/served_model.h"
#include "server/telemetry/live_state.h"

namespace headroom {

struct ServiceSettings {
  int workers = 0;               // threads, shared by all models; 0: one per core
  std::optional<double> slo_ms;  // deadline of calls that name none
  double budget = 1;             // the most that a call spends which names no budget
  double min_budget = 0.125;     // the controller goes no lower
  int64_t queue_limit = 512;     // texts waiting, per model
  int64_t max_batch_tokens = 2048;
};

struct DrainReport {
  int64_t finished = 0;  // calls that ended in the time that was left
  int64_t cut = 0;       // calls that were refused instead
};

class Dispatcher;
class PendingCall;

// A call on its way.
class CallTicket {
 public:
  CallTicket() = default;  // of nothing
  CallTicket(std::weak_ptr<Dispatcher> dispatcher, std::weak_ptr<PendingCall> call);

  // Drops what is still queued. CallDone gets Refusal::abandoned: now, or when a batch with one of
  // its texts ends. Without effect on a call that is done or wholly under way. Cheap, thread-safe,
  // any time, also after the service is gone.
  void abandon();

 private:
  std::weak_ptr<Dispatcher> dispatcher_;
  std::weak_ptr<PendingCall> call_;
};

class Service {
 public:
  // Milliseconds from any fixed point; tests bring their own.
  using Clock = std::function<double()>;

  // `models` is not empty and their names differ, otherwise ErrorCode::usage; likewise for settings
  // that are out of range. `observer` outlives the service.
  Service(std::vector<ServedModel> models, const ServiceSettings& settings,
          ServiceObserver& observer, Clock clock = {});
  // Cuts what is queued, finishes what is under way.
  ~Service();
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  // Tokenises on the caller's thread, then queues or refuses at once. Throws ErrorCode::bad_data
  // for text that is not UTF-8, ErrorCode::usage for a model that is not served, no text at all, a
  // latency that is not above 0 or a budget that the model was not trained for; nothing is queued
  // then and `done` is not called.
  CallTicket submit(std::string_view model, const std::vector<CallText>& texts, const Spend& spend,
                    CallDone done);

  const std::vector<ServedModel>& models() const;         // the first is the default
  const ServedModel* find(std::string_view model) const;  // null: not served
  const ServiceSettings& settings() const;                // `workers` as it was chosen

  LiveState live(std::string_view model) const;  // ErrorCode::usage when not served

  // From now on calls are refused with Refusal::draining.
  void stop_accepting();
  bool accepting() const;

  // Stops accepting, waits until every call has ended or the limit has passed, then refuses what is
  // still queued. Blocks; not for the thread that CallDone needs.
  DrainReport drain(std::chrono::milliseconds limit);

 private:
  std::shared_ptr<Dispatcher> dispatcher_;
};

}  // namespace headroom
