// What is stored about heads chosen per input: how the choice develops in training, whom it serves
// and what it costs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/measure/rank_correlation.h"
#include "experiments/record/point.h"

namespace headroom::experiments {

// One validation while training.
struct CurvePoint {
  int64_t step = 0;
  std::string stage;
  std::map<std::string, double> values;  // "validation", "s_mean"; per layer "s@0", "s@1", ...

  // Of `field`, or the mean of `field`@0, `field`@1, ...; none where there is neither.
  std::optional<double> mean(const std::string& field) const;
};

// Share s of heads, layers x classes.
struct ClassShares {
  std::vector<std::vector<double>> mean;
  std::vector<std::vector<double>> deviation;
};

struct Third {
  double s_mean = 0;
  std::optional<double> heads;
  std::optional<double> tokens;
};

// s against the loss of a separately trained dense model on the same rows.
struct Difficulty {
  Correlation share_and_loss;
  std::optional<Correlation> heads_and_loss;
  std::optional<Correlation> share_and_length;
  Correlation share_and_loss_at_equal_length;
  std::vector<Third> thirds;  // of rows by that loss, easiest first
};

// Bytes of activations at the peak of one batch: all heads at once, and chosen heads, which run one
// at a time. Only all_heads_bytes, all heads one at a time, says what choosing saves; records from
// before 2026-11-18 lack it.
struct PeakMemory {
  std::optional<int64_t> rows;
  std::optional<int64_t> tokens;
  double dense_bytes = 0;
  double chosen_bytes = 0;
  std::optional<double> all_heads_bytes = {};
};

// The model with a part of its controllers overruled at test time.
struct Overrides {
  std::vector<Point> fixed_share;
  std::optional<Point> random_heads;
};

struct HeadMap {
  int64_t head = 0;
  double q = 0;  // relevance
  bool chosen = false;
  std::vector<double> shares;  // T x T
};

struct LayerMaps {
  double s = 0;
  std::vector<HeadMap> heads;  // most relevant first
};

// Who attends to whom in one text of T tokens.
struct AttentionMaps {
  std::vector<std::string> tokens;
  std::vector<LayerMaps> layers;
};

}  // namespace headroom::experiments
