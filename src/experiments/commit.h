// Which commit this program was built from, as records store it.
#pragma once

#include <string>

namespace headroom::experiments {

// "2400882a1b2c", with "-dirty" after changes that were not committed; "unknown" outside a
// repository.
std::string build_commit();

}  // namespace headroom::experiments
