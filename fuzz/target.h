// A parser as a function of bytes: what libFuzzer feeds with inputs of its own, and what the tests
// replay the stored ones through. A target lives in one file of targets/ and its inputs in
// corpus/NAME.
#pragma once

#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace headroom::fuzz {

struct Target {
  using Function = void (*)(std::string_view input);

  // Registers it under its name.
  Target(std::string_view target_name, Function target_run);

  std::string_view name;
  Function run;
};

// Those that are linked into this program.
std::vector<Target>& targets();

// Ends the process, as a crash does, unless `holds`.
void require(bool holds, const char* claim);

// Runs `action` and says whether it accepted its input. Refusing with one of `codes` is fine;
// whatever else is thrown leaves the target and is a finding.
template <typename Action>
bool accepts(std::initializer_list<ErrorCode> codes, Action action) {
  try {
    action();
    return true;
  } catch (const Error& error) {
    for (const ErrorCode code : codes) {
      if (error.code() == code) return false;
    }
    throw;
  }
}

}  // namespace headroom::fuzz
