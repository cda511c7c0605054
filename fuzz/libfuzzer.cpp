// What libFuzzer's main() calls: the one target of this program.
#include <cstddef>
#include <cstdint>

#include "target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  for (const auto& target : headroom::fuzz::targets()) target.run(input);
  return 0;
}
