// The one rule by which numbers become verdicts. A claim is one or more statements "this effect is
// above (or below, or within) a threshold"; thresholds stand in claims.json. A statement is shown
// when a one-sided t-test over seeds puts the effect on its side of the threshold, refuted when it
// puts it on the other side, open otherwise; each at 2.5 %, after Holm's correction over data sets.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::experiments {

enum class Verdict { reproduced, partly, not_reproduced, inconclusive };

std::string_view verdict_name(Verdict verdict);

enum class Direction { above, below, within };

struct Criterion {
  std::string test;  // its name in the claim: "over dense"
  Direction direction = Direction::above;
  double threshold = 0;
  bool in_margins = false;  // the threshold counts margins of equivalence of the effect's unit
};

// What the uncertainty of a number is over. Only seeds give a p.
enum class Spread { seeds, counted, timed_once };

// A number as it was estimated. Thresholds are never compared with the mean alone.
struct Effect {
  double mean = 0;
  double error = 0;     // standard error of the mean
  double degrees = -1;  // of freedom of Student's t; 0: one seed, which proves nothing; -1: not run
  std::string unit = {};
  int64_t rows = 0;  // test rows that the error covers; 0: that over seeds alone
  Spread spread = Spread::seeds;

  bool was_run() const { return degrees >= 0; }
};

Effect effect_of(const std::vector<double>& values, const std::string& unit);
// These have no spread over seeds and stand as they are.
Effect counted(double value, const std::string& unit);
Effect timed_once(double value, const std::string& unit);
// The effect of a difference in rows answered right, with what another sample of test rows would
// change: `differences` are those of each row (test_rows.h), `scale` brings them to the effect's
// unit. Variances add up; degrees of freedom by Welch and Satterthwaite. As it was without rows.
Effect with_rows(Effect effect, const std::vector<double>& differences, double scale);
// a - b of two groups of seeds that share nothing.
Effect difference(const Effect& a, const Effect& b);

// One-sided p-values: that so much support, or so much against, would be seen by chance.
struct Tails {
  double supports = 1;
  double refutes = 1;
};
Tails tails_of(const Effect& effect, Direction direction, double threshold);
// More failures among the first group than among the second: Fisher's exact test.
Tails more_failures(int failed, int all, int other_failed, int other_all);

// Holm's step-down correction of a family of p-values, in their order.
std::vector<double> holm(const std::vector<double>& p);

// One statement: reproduced, not reproduced or inconclusive.
Verdict verdict_of(const Tails& corrected);

enum class Combination { all, any };

// Of a claim's statements. `all`: reproduced when each is shown; partly when some are; not
// reproduced when none is and one is refuted. `any`: reproduced when one is shown, not reproduced
// when each is refuted. Inconclusive otherwise.
Verdict combined(const std::vector<Verdict>& statements, Combination combination);

}  // namespace headroom::experiments
