// Starts a program, waits for it and returns what it printed.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"

namespace headroom {

// Throws ErrorCode::runtime when it fails. Words hold no quotes: they are options and paths of
// ours.
inline std::string run_command(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) line += "'" + word + "' ";
  FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) throw Error(ErrorCode::runtime, "run a program", line);
  std::string output;
  char block[4096];
  for (size_t got = 0; (got = std::fread(block, 1, sizeof block, pipe)) > 0;) {
    output.append(block, got);
  }
  if (::pclose(pipe) != 0) throw Error(ErrorCode::runtime, "run a program", line + "failed");
  return output;
}

}  // namespace headroom
