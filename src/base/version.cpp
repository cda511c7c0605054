#include "base/version.h"

namespace headroom {

const char* version() noexcept {
  return HEADROOM_VERSION;
}

}  // namespace headroom
