#include "server/api/api.h"

#include <utility>

#include "server/api/classify.h"
#include "server/api/dialects/kserve.h"
#include "server/api/dialects/openai.h"
#include "server/api/dialects/repository.h"
#include "server/api/dialects/tei.h"
#include "server/api/embed.h"
#include "server/api/guard.h"
#include "server/api/rerank.h"
#include "server/api/tag.h"

namespace headroom::server {

std::vector<Route> api_routes(Backend& backend, const ServerFacts& facts) {
  std::vector<Route> routes = info_routes(backend, facts);
  for (const auto& make : {classify_route, embed_route, guard_route, rerank_route, tag_route}) {
    routes.push_back(make(backend, facts.calls));
  }
  for (const auto& make : {kserve_routes, openai_routes, tei_routes}) {
    for (Route& route : make(backend, facts.calls)) routes.push_back(std::move(route));
  }
  for (Route& route : repository_routes(facts.control)) routes.push_back(std::move(route));
  return routes;
}

std::vector<Route> admin_routes(Backend& backend, const ServerFacts& facts) {
  std::vector<Route> routes;
  for (Route& route : api_routes(backend, facts)) {
    const std::string_view path = route.path;
    const bool loads = facts.control != nullptr && path.starts_with("/v2/repository/");
    const bool watches = path == "/metrics" || path == "/health" || path.starts_with("/v2/health/");
    if (!loads && !watches) continue;
    route.needs_key = false;
    route.needs_admin = false;
    routes.push_back(std::move(route));
  }
  return routes;
}

}  // namespace headroom::server
