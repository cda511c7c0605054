// Who runs next, at which budget, and who is refused: the queues of all models before a number of
// workers. No threads and no clock, so that the server, the tests and the simulation share it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/schedule/client_shares.h"
#include "server/schedule/deadline_controller.h"
#include "server/service/call.h"

namespace headroom::server {

struct ScheduleSettings {
  int workers = 1;
  int64_t queue_limit = 512;  // texts, per model
  int64_t max_batch_tokens = 2048;
  ControllerSettings controller;
  double max_deadline_ms = 10'000;  // after arrival; later ones are taken for this
};

// Texts of one model that run at one budget.
struct Batch {
  size_t model = 0;
  std::vector<WaitingText> texts;
  int64_t tokens = 0;
  BudgetChoice choice;
  double started_ms = 0;
  size_t level = 0;      // that the controller chose
  double median_ms = 0;  // that the latency table gives it; 0: it ran in another way
  // That it gives to the rungs which ran, told by who ran them; nothing where no ladder was
  // climbed.
  std::optional<double> climbed_ms = {};
  double predicted_ms = 0;  // with the correction
  uint64_t number = 0;
};

struct Admission {
  std::optional<CallRefused> refused;
  double predicted_ms = 0;             // until the call's last answer
  std::vector<WaitingText> displaced;  // from a full queue, by texts with earlier deadlines
};

class Schedule {
 public:
  Schedule(std::vector<CostLevels> models, const ScheduleSettings& settings);

  // Takes the texts of one call, all or none. The earliest deadline runs first; texts of a client
  // that took its share of the workers go behind those of clients that did not.
  Admission offer(size_t model, std::vector<WaitingText> texts, double now);

  // For a worker that is free; nothing when no text waits.
  std::optional<Batch> take(double now);
  void finished(const Batch& batch, double now);
  // How long the worker of a batch took to tell its answers.
  void told(const Batch& batch, double ms);

  // Removes texts that still wait: of a call, those past their deadlines, all.
  std::vector<WaitingText> drop(size_t model, const PendingCall* call);
  std::vector<WaitingText> drop_expired(double now);
  std::vector<WaitingText> drop_all();

  int64_t waiting(size_t model) const;
  bool idle() const;  // nothing waits and nothing runs

  // The budget that a text would get if it came now.
  double budget(size_t model, double now);

 private:
  struct ModelQueue {
    DeadlineController controller;
    DeadlineController::Queue texts;
    double used_ms = 0;  // of the workers' time, for taking turns
  };
  struct Running {
    uint64_t number = 0;
    double ends_ms = 0;
  };

  std::optional<size_t> must_go(const ModelQueue& queue,
                                const std::vector<WaitingText>& texts) const;
  double rank(std::vector<WaitingText>& texts, const DeadlineController& controller, double now);
  WorkAhead work_ahead(size_t model, double now) const;
  double workers_for_load(size_t model, double now) const;
  ModelQueue* next_queue();
  double drain_seconds(const ModelQueue& queue, const WorkAhead& ahead) const;

  ScheduleSettings settings_;
  std::vector<ModelQueue> queues_;
  ClientShares shares_;
  std::vector<Running> running_;
  uint64_t batches_ = 0;
  double idle_since_ms_ = 0;  // when something last ran, or was found not to
  double last_used_ms_ = 0;   // of the queue served last: one that was empty starts here
};

}  // namespace headroom::server
