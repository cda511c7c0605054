// Traces of arrivals: one that no server likes, a day with bursts in which requests come in groups
// whose sizes have a heavy tail; and independent requests at one rate. The same for the same
// numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace headroom::overload {

struct TraceSettings {
  double rate = 100;  // requests a second, on average
  double seconds = 10;
  uint64_t seed = 1;
  size_t rows = 1;  // to choose texts from
  bool bursts = true;
};

struct Trace {
  std::vector<double> due;    // seconds from the start, ascending
  std::vector<size_t> order;  // which row each asks about
};

Trace make_trace(const TraceSettings& settings);

}  // namespace headroom::overload
