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

ServingLoad restless_load(double mean_rate, double duration_ms, uint64_t seed) {
  constexpr int bursts = 6;
  constexpr double burst_factor = 3;
  constexpr double swing = 0.6;
  constexpr double tail = 1.5;
  struct Burst {
    double begin;
    double end;
  };
  Random random({seed, bursts});
  std::vector<Burst> times;
  for (int i = 0; i < bursts; ++i) {
    const double begin = random.uniform() * duration_ms;
    const double length = std::pow(1 - random.uniform(), -1 / tail) * duration_ms / 100;
    times.push_back({begin, begin + std::min(length, duration_ms / 10)});
  }
  const auto shape = [=](double now) {
    const double day = 1 - swing * std::cos(2 * std::numbers::pi * now / duration_ms);
    const bool burst = std::any_of(times.begin(), times.end(), [now](const Burst& time) {
      return time.begin <= now && now < time.end;
    });
    return burst ? burst_factor * day : day;
  };
  constexpr int slices = 10'000;
  double mean = 0;
  for (int i = 0; i < slices; ++i) mean += shape((i + 0.5) * duration_ms / slices) / slices;
  return {"restless", duration_ms, mean_rate / mean * burst_factor * (1 + swing),
          [=](double now) { return mean_rate / mean * shape(now); }};
}

double next_arrival(const ServingLoad& load, double now, Random& random) {
  while (now < load.duration_ms) {
    now -= std::log(1 - random.uniform()) / load.most;
    if (random.uniform() * load.most < load.rate(now)) return now;
  }
  return now;
}

}  // namespace headroom
