// The API's backend over the real service.
#pragma once

#include "server/service/classify_backend.h"
#include "server/service/service.h"

namespace headroom {

class ServiceBackend : public ClassifyBackend {
 public:
  explicit ServiceBackend(Service& service);  // which outlives it

  const std::vector<ModelFacts>& models() const override { return models_; }
  Abandon submit(const std::string& model, const std::vector<CallText>& texts, const Spend& spend,
                 CallDone done) override;
  LiveState live(const std::string& model) const override { return service_.live(model); }
  bool ready() const override { return service_.accepting(); }
  void begin_drain() override { service_.stop_accepting(); }

 private:
  Service& service_;
  std::vector<ModelFacts> models_;
};

}  // namespace headroom
