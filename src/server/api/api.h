// Everything the server answers, in one list.
#pragma once

#include "server/api/info.h"

namespace headroom {

// `backend` outlives the routes.
std::vector<Route> api_routes(ClassifyBackend& backend, const ServerFacts& facts);

}  // namespace headroom
