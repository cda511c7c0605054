// What the API needs of whatever answers calls. The real one is the Service; tests put in one that
// answers at once, later, refuses or never.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "budget/latency_table.h"
#include "checkpoint/config.h"
#include "server/http/handler.h"
#include "server/service/call.h"
#include "server/telemetry/live_state.h"

namespace headroom {

struct ModelFacts {
  std::string name;
  ModelConfig config;
  std::string precision;
  LatencyTable table;
  double min_budget = 0;  // what the controller lowers to
  Json scores;            // measured accuracy at each budget; null when nobody measured
};

class ClassifyBackend {
 public:
  virtual ~ClassifyBackend() = default;

  virtual const std::vector<ModelFacts>& models() const = 0;  // the first is the default

  // As Service::submit(): throws ErrorCode::bad_data or usage for what cannot be asked, otherwise
  // calls `done` exactly once. Returns how to abandon the call.
  virtual Abandon submit(const std::string& model, const std::vector<CallText>& texts,
                         const Spend& spend, CallDone done) = 0;

  virtual LiveState live(const std::string& model) const = 0;
  virtual bool ready() const = 0;
  virtual void begin_drain() = 0;
};

// `name` or, when it is empty, the default model. Throws HttpErrorCode::not_found.
const ModelFacts& find_model(const ClassifyBackend& backend, const std::string& name);

}  // namespace headroom
