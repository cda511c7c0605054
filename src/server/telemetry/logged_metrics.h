// Metrics that also write what people should know into the server's log.
#pragma once

#include "server/telemetry/log.h"
#include "server/telemetry/metrics.h"

namespace headroom::server {

class LoggedMetrics : public Metrics {
 public:
  // `log` outlives it. With `every_request` each response gets a line.
  LoggedMetrics(const std::vector<std::string>& models, ServerLog& log, bool every_request)
      : Metrics(models), log_(log), every_request_(every_request) {}

  void call_refused(const std::string& model, const CallRefused& call,
                    int64_t dropped) noexcept override;
  void request_done(const HttpHead& head, const HttpResponse& response,
                    double seconds) noexcept override;
  void request_failed(const std::string& why) noexcept override;

 private:
  ServerLog& log_;
  bool every_request_;
};

}  // namespace headroom::server
