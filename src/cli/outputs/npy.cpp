#include "cli/outputs/npy.h"

#include <fmt/format.h>

namespace headroom {

std::string npy_header(uint64_t rows, uint64_t columns) {
  std::string header =
      fmt::format("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {}), }}", rows, columns);
  // Magic, version and length take 10 bytes; numbers begin at a multiple of 64.
  constexpr size_t prefix = 10;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string all("\x93NUMPY\x01\x00", 8);
  all += static_cast<char>(header.size() & 0xFFU);
  all += static_cast<char>(header.size() >> 8U);
  return all + header;
}

}  // namespace headroom
