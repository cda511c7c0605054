// Memory that is read soon, to be fetched into L2 by whoever computes from L1 meanwhile.
#pragma once

#include <cstddef>

namespace headroom {

struct FetchAhead {
  const std::byte* at = nullptr;
  const std::byte* end = nullptr;
};

}  // namespace headroom
