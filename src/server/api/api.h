// Everything the server answers, in one list.
#pragma once

#include "server/api/info.h"

namespace headroom::server {

// `backend` outlives the routes.
std::vector<Route> api_routes(Backend& backend, const ServerFacts& facts);

// Health, metrics and, where models may be changed, that, without a key: for a port of their own,
// which the clients' load cannot fill and their network need not reach.
std::vector<Route> admin_routes(Backend& backend, const ServerFacts& facts);

}  // namespace headroom::server
