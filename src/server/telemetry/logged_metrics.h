// Metrics that also write what people should know into the server's log.
#pragma once

#include "server/telemetry/log.h"
#include "server/telemetry/metrics.h"

namespace headroom::server {

class LoggedMetrics : public Metrics {
 public:
  // `log` outlives it. This share of the requests get a line, and unless it is 0 those that were
  // refused for load or failed.
  LoggedMetrics(const std::vector<std::string>& models, ServerLog& log, double logged_share)
      : Metrics(models), log_(log), logged_share_(logged_share) {}

  void call_refused(const std::string& model, const CallRefused& call,
                    int64_t texts) noexcept override;
  void request_done(const HttpHead& head, const HttpResponse& response,
                    double seconds) noexcept override;
  void request_failed(const std::string& why) noexcept override;

 private:
  ServerLog& log_;
  double logged_share_;
};

}  // namespace headroom::server
