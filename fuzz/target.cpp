#include "target.h"

#include <cstdio>

namespace headroom::fuzz {

std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

Target::Target(std::string_view target_name, Function target_run)
    : name(target_name), run(target_run) {
  targets().push_back(*this);
}

void require(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", claim);
  std::abort();
}

}  // namespace headroom::fuzz
