#include "server/service/call.h"

namespace headroom::server {

std::string_view refusal_name(Refusal why) {
  switch (why) {
    case Refusal::queue_full:
      return "queue_full";
    case Refusal::overloaded:
      return "overloaded";
    case Refusal::deadline_passed:
      return "deadline_passed";
    case Refusal::deadline_unreachable:
      return "deadline_unreachable";
    case Refusal::draining:
      return "draining";
    case Refusal::abandoned:
      return "abandoned";
    case Refusal::failed:
      return "failed";
  }
  return "failed";
}

}  // namespace headroom::server
