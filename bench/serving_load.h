// When requests come: arrivals whose rate follows a curve over time, drawn one by one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"

namespace headroom {

// Independent requests (Poisson) at `rate` per millisecond of simulated time, which never exceeds
// `most`.
struct ServingLoad {
  std::string name;
  double duration_ms = 0;
  double most = 0;
  std::function<double(double now)> rate;
};

ServingLoad constant_load(std::string name, double rate, double duration_ms);

// Half a second of three times the capacity every five seconds, half the capacity between.
ServingLoad burst_load(double capacity, double duration_ms);

// A day in `duration_ms`: a quarter of the capacity at night, 1.5 times it in the evening, and
// noise of a tenth from one hundredth of the day to the next.
ServingLoad daily_load(double capacity, double duration_ms, uint64_t seed);

// A day with bursts: the rate is 0.4 to 1.6 times its mean over the duration, and three times that
// for bursts that come at random and whose lengths have a heavy tail (Pareto, 1.5), from a
// hundredth of the duration to a tenth.
ServingLoad restless_load(double mean_rate, double duration_ms, uint64_t seed);

// The next arrival after `now`, by thinning; beyond the duration when there is none.
double next_arrival(const ServingLoad& load, double now, Random& random);

}  // namespace headroom
