// POST /v1/guard: the texts of /v1/classify, asked of several classifiers at once under one
// deadline:
// {"inputs": …, "models"?: ["…"], "budget"?, "latency_ms"?}. Either all of them answer or the
// request is refused: a guard that did not look has not let anything pass.
#pragma once

#include "server/api/call.h"

namespace headroom::server {

// `backend` outlives the route.
Route guard_route(Backend& backend, const CallLimits& limits);

}  // namespace headroom::server
