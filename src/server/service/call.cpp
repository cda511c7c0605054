#include "server/service/call.h"

namespace headroom {

std::string_view refusal_name(Refusal why) {
  switch (why) {
    case Refusal::queue_full:
      return "queue_full";
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

}  // namespace headroom
