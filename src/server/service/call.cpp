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
    case Refusal::out_of_memory:
      return "out_of_memory";
  }
  return "failed";
}

}  // namespace headroom::server
