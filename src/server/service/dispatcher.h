// Worker threads around the schedule: one lock, held for microseconds; texts run and calls are told
// without it. Waiting threads sleep.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "server/schedule/schedule.h"
#include "server/service/pending_call.h"
#include "server/service/service.h"
#include "server/telemetry/live_window.h"

namespace headroom {

class Dispatcher {
 public:
  // What is passed in is valid; Service checks.
  Dispatcher(std::vector<ServedModel> models, const ServiceSettings& settings,
             ServiceObserver& observer, Service::Clock clock);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  const std::vector<ServedModel>& models() const { return models_; }
  const ServiceSettings& settings() const { return settings_; }
  const CostLevels& levels(size_t model) const { return levels_[model]; }
  double now() const { return clock_(); }

  // Queues the texts, which belong to `call`, or tells the call why not.
  void submit(const std::shared_ptr<PendingCall>& call, std::vector<WaitingText> texts);
  void abandon(const std::shared_ptr<PendingCall>& call);
  LiveState live(size_t model) const;

  void stop_accepting();
  bool accepting() const;
  DrainReport drain(std::chrono::milliseconds limit);
  // Drains at once and ends the threads; not from one of them.
  void stop();

 private:
  using Calls = std::vector<std::shared_ptr<PendingCall>>;
  struct Ran {
    std::vector<Answer> answers;
    std::optional<CallRefused> failure;
  };

  void serve(const std::vector<RunBatch>& runners);
  Ran run(const Batch& batch, const RunBatch& runner) const;
  Calls record(const Batch& batch, Ran ran, double finished_ms);  // locked
  void drop_failed(const Batch& batch, const CallRefused& failure, Calls& ended);
  void drop_texts(const std::vector<WaitingText>& texts, const CallRefused& why, Calls& ended);
  void count(const PendingCall& call);  // locked
  void tell(const Calls& ended);        // not locked

  std::vector<ServedModel> models_;
  ServiceSettings settings_;
  std::vector<CostLevels> levels_;
  ServiceObserver& observer_;
  Service::Clock clock_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable work_came_;
  std::condition_variable calls_ended_;
  mutable Schedule schedule_;  // looking at it lets time pass
  std::vector<LiveWindow> live_;
  int64_t open_calls_ = 0;  // accepted, and not yet told
  bool accepting_ = true;
  bool stopping_ = false;

  std::vector<std::thread> threads_;  // last: they see the rest complete
};

}  // namespace headroom
