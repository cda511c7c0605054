// How far the engine's logits are from those of the same network in plain double precision.
#pragma once

#include <cmath>
#include <vector>

#include "engine/model.h"
#include "engine/random_model.h"

namespace headroom::testing {

inline std::vector<int32_t> random_ids(Random& random, int64_t length) {
  std::vector<int32_t> ids;
  for (int64_t i = 0; i < length; ++i) ids.push_back(static_cast<int32_t>(random.below(30)));
  return ids;
}

inline std::vector<float> run(const EngineModel& model, std::span<const Tokens> sequences,
                              const Selection& selection) {
  Arena arena;
  const auto labels = static_cast<size_t>(model.config().shape.labels);
  std::vector<float> logits(sequences.size() * labels);
  model.encoder().run(sequences, make_plan(model.weights(), selection), logits, arena);
  return logits;
}

// The root mean square over all logits of all sequences.
inline double logit_error(const EngineModel& model, const RandomCheckpoint& checkpoint,
                          std::span<const Tokens> sequences, const Selection& selection) {
  const std::vector<float> actual = run(model, sequences, selection);
  double squares = 0;
  size_t at = 0;
  for (const Tokens& sequence : sequences) {
    for (const double expected : checkpoint.plain().logits(sequence, selection)) {
      squares += (actual[at] - expected) * (actual[at] - expected);
      ++at;
    }
  }
  return std::sqrt(squares / static_cast<double>(at));
}

}  // namespace headroom::testing
