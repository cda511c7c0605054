// What a server tells about itself: models with their budgets and measured scores, what a budget
// keeps alive, the last minute, limits, the API's description and the page.
#pragma once

#include "server/api/call.h"
#include "server/api/router.h"
#include "server/http/limits.h"

namespace headroom::server {

class ModelControl;

struct ServerFacts {
  std::string isa;  // instruction set of the kernels
  HttpLimits http;
  CallLimits calls;
  double min_budget = 0;  // what the controller lowers to
  std::function<std::string()> metrics_text;
  ModelControl* control = nullptr;  // null: models stay as they are
};

// What is alive at one budget and what it costs; of any budget that the model has.
Json plan_json(const ServedModel& model, double budget);
Json models_json(const Backend& backend, double min_budget);
Json live_json(const LiveState& live);

// `backend` outlives the routes.
std::vector<Route> info_routes(const Backend& backend, const ServerFacts& facts);

}  // namespace headroom::server
