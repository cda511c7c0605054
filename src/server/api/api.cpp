#include "server/api/api.h"

#include <utility>

#include "server/api/classify.h"
#include "server/api/kserve.h"

namespace headroom::server {

std::vector<Route> api_routes(Backend& backend, const ServerFacts& facts) {
  std::vector<Route> routes = info_routes(backend, facts);
  routes.push_back(classify_route(backend, facts.calls));
  for (Route& route : kserve_routes(backend, facts.calls)) routes.push_back(std::move(route));
  return routes;
}

}  // namespace headroom::server
