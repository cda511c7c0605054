// Means with intervals over seeds.
#pragma once

#include <cstdint>
#include <vector>

namespace headroom::report {

struct Estimate {
  double mean = 0;
  double deviation = 0;   // sample standard deviation; 0 with one value
  double half_width = 0;  // of the 95 % confidence interval (Student's t); 0 with one value
  int count = 0;

  double low() const { return mean - half_width; }
  double high() const { return mean + half_width; }
};

Estimate estimate(const std::vector<double>& values);

// Two-sided p of Student's t-test that the values' mean is 0: of paired differences, a paired test.
// 1 with fewer than two values.
double t_test(const std::vector<double>& values);

// P(T > t) of Student's t.
double t_tail(double t, double degrees);

struct Interval {
  double low = 0;
  double high = 0;
};

// 95 % of the means of 10,000 samples drawn from the values with replacement; always the same ones.
Interval bootstrap(const std::vector<double>& values);

// Where the share behind `share`, found in `count` rows, lies with 95 % confidence (Wilson's
// interval, which stays inside 0 to 1). Of one model on one sample: says nothing about other seeds.
Interval share_interval(double share, int64_t count);

}  // namespace headroom::report
