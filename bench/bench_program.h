// How a program of bench/ ends: with what went wrong on stderr, and 1.
#pragma once

#include <fmt/format.h>

#include <exception>

namespace headroom {

template <typename Run>
int run_program(const char* name, const Run& run) {
  try {
    return run();
  } catch (const std::exception& problem) {
    fmt::print(stderr, "{}: {}\n", name, problem.what());
    return 1;
  }
}

}  // namespace headroom
