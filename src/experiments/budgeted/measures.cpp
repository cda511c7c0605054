#include "experiments/budgeted/measures.h"

#include <algorithm>
#include <cmath>

namespace headroom {

MassError mass_error(const Runs& runs) {
  MassError error;
  double sum = 0;
  for (const Json& run : runs) {
    const Json& arms = run.at("arms");
    if (!arms.contains("soft") || !arms.at("soft").contains("mass")) continue;
    double previous = 0;
    for (const Json& point : arms.at("soft").at("mass")) {
      const double mass = point.at("mass").get<double>();
      const double distance = std::abs(mass - point.at("budget").get<double>());
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
  for (const Json& run : runs) {
    const Json* dense = find_point(run, "dense", 1.0);
    const Json* other = find_point(run, arm, 1.0);
    if (dense == nullptr || other == nullptr) continue;
    ++seeds.all;
    const double least = 0.9 * dense->at("accuracy").get<double>();
    if (other->at("accuracy").get<double>() < least) ++seeds.failed;
  }
  return seeds;
}

}  // namespace headroom
