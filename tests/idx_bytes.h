// Headers of idx files, for tests that write some.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

namespace headroom::testing {

inline std::string big_endian(std::initializer_list<uint32_t> numbers) {
  std::string bytes;
  for (const uint32_t number : numbers) {
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 0xff);
  }
  return bytes;
}

}  // namespace headroom::testing
