// Where published data lies, for tests that read it where it is at hand.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace headroom::testing {

inline std::filesystem::path data_folder() {
  const char* variable = std::getenv("HEADROOM_DATA");
  return variable != nullptr ? variable : HEADROOM_SOURCE_DIR "/../shared/data";
}

}  // namespace headroom::testing
