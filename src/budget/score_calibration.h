// Scores that keep their meaning as the budget shrinks: a temperature and an offset per budget,
// fitted after training and stored in the checkpoint.
#pragma once

#include <span>

namespace headroom {

// A logit z of a model run at `budget` becomes z / temperature + offset, before softmax or sigmoid;
// the number of a regression likewise. A ranker's logit gets `lexical` times its BM25 besides.
struct ScoreCalibration {
  double budget = 1.0;
  double temperature = 1.0;
  double offset = 0.0;
  double lexical = 0.0;

  double apply(double logit) const { return logit / temperature + offset; }
  bool operator==(const ScoreCalibration&) const = default;
};

// What applies at `budget`: between two fitted budgets on the line between them, outside them the
// nearest. `fitted` ascends by budget; none: nothing changes.
ScoreCalibration calibration_at(std::span<const ScoreCalibration> fitted, double budget);

}  // namespace headroom
