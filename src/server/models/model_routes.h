// Which model a request for a name goes to, where several share its traffic.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>

#include "server/models/serving_plan.h"

namespace headroom::server {

class ModelRoutes {
 public:
  explicit ModelRoutes(const std::vector<ModelRoute>& routes = {});

  // The name of the model that answers the next request for `name`; null: it is no route's. Of any
  // n requests in a row a model gets its share within a few, without chance. Any thread.
  const std::string* pick(const std::string& name) const;

 private:
  struct Entry {
    ModelRoute route;
    mutable std::atomic<uint64_t> asked = 0;
  };

  std::deque<Entry> entries_;  // which stay where they are
};

}  // namespace headroom::server
