#include "experiments/budgeted/measures.h"

#include <algorithm>
#include <cmath>

namespace headroom::experiments::budgeted {

MassError mass_error(const Runs& runs) {
  MassError error;
  double sum = 0;
  for (const Record& run : runs) {
    const ArmRecord* soft = run.find("soft");
    if (soft == nullptr) continue;
    double previous = 0;
    for (const auto& [budget, mass] : soft->mass) {
      const double distance = std::abs(mass - budget);
      error.largest = std::max(error.largest, distance);
      error.rises = error.rises && mass >= previous;
      sum += distance;
      ++error.points;
      previous = mass;
    }
  }
  if (error.points > 0) error.mean = sum / error.points;
  return error;
}

FailedSeeds failed_seeds(const Runs& runs, const std::string& arm) {
  FailedSeeds seeds;
  for (const Record& run : runs) {
    const Point* dense = find_point(run, "dense", 1.0);
    const Point* other = find_point(run, arm, 1.0);
    if (dense == nullptr || other == nullptr) continue;
    ++seeds.all;
    if (other->accuracy.value_or(0) < 0.9 * dense->accuracy.value_or(0)) ++seeds.failed;
  }
  return seeds;
}

}  // namespace headroom::experiments::budgeted
