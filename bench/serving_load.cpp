#include "serving_load.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace headroom {

ServingLoad constant_load(std::string name, double rate, double duration_ms) {
  return {std::move(name), duration_ms, rate, [rate](double /*now*/) { return rate; }};
}

ServingLoad burst_load(double capacity, double duration_ms) {
  return {"bursts", duration_ms, 3 * capacity,
          [capacity](double now) { return capacity * (std::fmod(now, 5000.0) < 500 ? 3 : 0.5); }};
}

ServingLoad daily_load(double capacity, double duration_ms, uint64_t seed) {
  constexpr double night = 0.25;
  constexpr double evening = 1.5;
  constexpr double jitter = 0.1;
  return {"day", duration_ms, capacity * evening * (1 + 3 * jitter), [=](double now) {
            const double part = now / duration_ms;
            const double curve =
                night + (evening - night) / 2 * (1 - std::cos(2 * std::numbers::pi * part));
            const auto slot = static_cast<uint64_t>(part * 100);
            const double noise = std::clamp(Random({seed, slot}).normal(), -3.0, 3.0);
            return capacity * curve * (1 + jitter * noise);
          }};
}

double next_arrival(const ServingLoad& load, double now, Random& random) {
  while (now < load.duration_ms) {
    now -= std::log(1 - random.uniform()) / load.most;
    if (random.uniform() * load.most < load.rate(now)) return now;
  }
  return now;
}

}  // namespace headroom
