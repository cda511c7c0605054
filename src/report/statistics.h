// Means with intervals over seeds.
#pragma once

#include <vector>

namespace headroom {

struct Estimate {
  double mean = 0;
  double deviation = 0;   // sample standard deviation; 0 with one value
  double half_width = 0;  // of the 95 % confidence interval (Student's t); 0 with one value
  int count = 0;

  double low() const { return mean - half_width; }
  double high() const { return mean + half_width; }
};

Estimate estimate(const std::vector<double>& values);

}  // namespace headroom
