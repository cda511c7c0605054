// Counters and histograms in Prometheus's text form: what the service and the door tell is kept
// here until someone asks for /metrics. docs/serving.md lists the names.
#pragma once

#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "server/api/router.h"
#include "server/service/observer.h"

namespace headroom::server {

class Metrics : public ServiceObserver, public RequestObserver {
 public:
  explicit Metrics(const std::vector<std::string>& models);

  // Counts a model from now on; one that is known goes on.
  void add_model(const std::string& model);
  // Tells nothing of other models until they are added again: an alert on the last correction of a
  // model that was unloaded would fire for ever.
  void tell_only(const std::vector<std::string>& models);
  ~Metrics() override;
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void call_accepted(const std::string& model, const CallAccepted& call) noexcept override;
  void call_answered(const std::string& model, const CallAnswered& call) noexcept override;
  void call_refused(const std::string& model, const CallRefused& call,
                    int64_t texts) noexcept override;
  void cache_asked(const std::string& model, int64_t hits, int64_t misses) noexcept override;
  void budget_chosen(const std::string& model, const BudgetChoice& choice) noexcept override;
  void batch_run(const std::string& model, const BatchRun& batch) noexcept override;

  void request_done(const HttpHead& head, const HttpResponse& response,
                    double seconds) noexcept override;
  void request_failed(const std::string& why) noexcept override;

  // How many texts wait, 0 unless told; asked for when text() is.
  void clear_queue_lengths() noexcept;
  void set_queue_length(const std::string& model, int64_t texts) noexcept;

  void set_cache_bytes(uint64_t bytes) noexcept;
  void set_log_lines_dropped(int64_t lines) noexcept;

  std::string text() const;

 private:
  struct Families;
  struct PerModel;

  PerModel* find(const std::string& model) const;

  std::unique_ptr<Families> families_;
  mutable std::shared_mutex mutex_;  // guards the list; who is in it stays
  std::vector<std::unique_ptr<PerModel>> models_;
};

}  // namespace headroom::server
