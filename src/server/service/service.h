// What the server does behind its HTTP door: models that answer calls, a queue each, worker threads
// around the schedule, which picks budgets. Knows nothing of HTTP. One lock guards the schedule and
// is held for microseconds; texts run and calls are told without it. Waiting threads sleep.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "server/models/model_routes.h"
#include "server/schedule/schedule.h"
#include "server/schedule/solo_runs.h"
#include "server/service/backend.h"
#include "server/service/call_terms.h"
#include "server/service/observer.h"
#include "server/service/pending_call.h"
#include "server/service/service_settings.h"
#include "server/telemetry/live_window.h"

namespace headroom::server {

struct DrainReport {
  int64_t finished = 0;  // calls that ended in the time that was left
  int64_t cut = 0;       // calls that were refused instead
};

class Service : public Backend {
 public:
  // Milliseconds from any fixed point; tests bring their own.
  using Clock = std::function<double()>;

  // `models` is not empty and their names differ, otherwise ErrorCode::usage; likewise for settings
  // that are out of range. `observer` outlives the service.
  Service(std::vector<ServedModel> models, const ServiceSettings& settings,
          ServiceObserver& observer, Clock clock = {});
  // Cuts what is queued, finishes what is under way.
  ~Service() override;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;

  const std::vector<ServedModel>& models() const override { return models_; }
  // Routes come first, then models' own names.
  const ServedModel* pick(const std::string& name) const override;
  const ServiceSettings& settings() const { return settings_; }  // `workers` as it was chosen

  // Which models answer to a name, from now on; each is one of models(). Any thread.
  void set_routes(const std::vector<ModelRoute>& routes);

  Abandon submit(const Call& call, CallDone done) override;
  LiveState live(const std::string& model) const override;
  bool automatic() const override { return settings_.automatic; }
  bool ready() const override { return accepting_; }
  void begin_drain() override { accepting_ = false; }

  // Stops accepting, waits until every call has ended or the limit has passed, then refuses what is
  // still queued. Blocks; not for the thread that CallDone needs.
  DrainReport drain(std::chrono::milliseconds limit);

 private:
  using PendingCalls = std::vector<std::shared_ptr<PendingCall>>;
  // From an Abandon to the service, which may be gone by then.
  struct Link {
    std::mutex mutex;
    Service* service = nullptr;
  };
  struct Ran {
    std::vector<Answer> answers;
    std::optional<CallRefused> failure;
  };

  // What the cache has of each input at the budget that an idle server would give; empty: nothing.
  std::vector<std::optional<Answer>> known_answers(size_t model, const CallTerms& terms,
                                                   const std::vector<Tokens>& inputs) const;
  void keep(const Batch& batch, const std::vector<Tokens>& inputs,
            const std::vector<Answer>& answers) const;
  void queue(const std::shared_ptr<PendingCall>& call, std::vector<WaitingText> texts);
  void abandon(const std::shared_ptr<PendingCall>& call);

  void warm_up(const std::vector<RunBatch>& runners) const;
  void work(const std::vector<RunBatch>& runners);
  Ran run(const Batch& batch, const RunBatch& runner) const;
  std::optional<double> climbed_ms(const Batch& batch, const std::vector<Answer>& answers) const;
  void stop();  // drains at once and ends the threads; not from one of them

  // Locked. Whether the batch is one text, and nothing else runs or waits: then it has all cores.
  bool is_alone(const Batch& batch) const;
  // Locked. Each returns or appends the calls that ended by it.
  PendingCalls record(const Batch& batch, Ran ran, double finished_ms);
  void end_with(const CallRefused& why, const std::vector<WaitingText>& removed,
                PendingCalls& ended);
  void count(const PendingCalls& ended);

  void tell(const PendingCalls& ended);  // not locked

  std::vector<ServedModel> models_;
  ServiceSettings settings_;
  std::vector<CostLevels> levels_;
  std::vector<RunBatch> all_cores_;  // of each model, for a text that is alone
  ServiceObserver& observer_;
  Clock clock_;
  std::shared_ptr<Link> link_ = std::make_shared<Link>();
  std::atomic<bool> accepting_ = true;

  mutable std::mutex routes_mutex_;  // guards the pointer
  std::shared_ptr<const ModelRoutes> routes_ = std::make_shared<ModelRoutes>();

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable work_came_;
  std::condition_variable calls_ended_;
  mutable Schedule schedule_;  // looking at it lets time pass
  std::vector<LiveWindow> live_;
  int64_t open_calls_ = 0;  // accepted, and not yet told
  int64_t accepted_ = 0;    // calls, ever
  int running_ = 0;         // batches
  SoloRuns solo_runs_;
  bool stopping_ = false;

  std::vector<std::thread> threads_;  // last: they see the rest complete
};

}  // namespace headroom::server
