#include "server/schedule/client_shares.h"

#include <algorithm>

namespace headroom::server {
namespace {

// How long a client keeps its part after its work was done: whoever asks twice a second or more has
// one all the time.
constexpr double kept_ms = 500;

}  // namespace

size_t ClientShares::clients(const std::string& client, double now) {
  std::erase_if(turns_, [&](const auto& entry) { return entry.second + kept_ms <= now; });
  return turns_.size() + (turns_.contains(client) ? 0 : 1);
}

double ClientShares::turn_ms(const std::string& client, double now) const {
  const auto found = turns_.find(client);
  return found == turns_.end() ? now : std::max(now, found->second);
}

double ClientShares::next_turn_ms(double turn_ms, size_t clients, double work_ms) const {
  return turn_ms + work_ms * static_cast<double>(clients) / workers_;
}

}  // namespace headroom::server
