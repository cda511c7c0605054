// Everything the server answers, in one list.
#pragma once

#include "server/api/info.h"

namespace headroom::server {

// `backend` outlives the routes.
std::vector<Route> api_routes(Backend& backend, const ServerFacts& facts);

}  // namespace headroom::server
