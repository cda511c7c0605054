#include "server/models/model_routes.h"

#include <cmath>

namespace headroom::server {

ModelRoutes::ModelRoutes(const std::vector<ModelRoute>& routes) {
  for (const ModelRoute& route : routes) entries_.emplace_back().route = route;
}

const std::string* ModelRoutes::pick(const std::string& name) const {
  for (const Entry& entry : entries_) {
    if (entry.route.name != name) continue;
    double sum = 0;
    for (const ModelRoute::Target& target : entry.route.targets) sum += target.weight;
    // Multiples of the golden ratio fall into every part of [0, 1) evenly (Weyl), also when every
    // other one is somebody else's.
    constexpr double golden = 0.6180339887498949;
    const auto asked = static_cast<double>(entry.asked.fetch_add(1) % (uint64_t{1} << 32));
    double at = sum * (asked * golden - std::floor(asked * golden));
    const std::string* last = nullptr;
    for (const ModelRoute::Target& target : entry.route.targets) {
      if (target.weight <= 0) continue;
      last = &target.model;
      if (at < target.weight) break;
      at -= target.weight;
    }
    return last;
  }
  return nullptr;
}

}  // namespace headroom::server
