// NumPy's .npy: a matrix of floats behind a short header.
#pragma once

#include <cstdint>
#include <string>

namespace headroom {

// Of a float32 matrix, row by row.
std::string npy_header(uint64_t rows, uint64_t columns);

}  // namespace headroom
