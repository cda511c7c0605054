// Finding a recipe within a time limit: successive halving among a few recipes around a first one.
// Knows no model: it is told what a recipe scores and how long that took, so the same answers give
// the same recipe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "train/recipe.h"

namespace headroom {
inline namespace train {

// What a search may change. The lengths and rates of later stages follow those of the dense one
// where they were left open.
struct SearchSpace {
  bool rate = true;
  bool epochs = true;
  bool batch = true;
  bool dropout = true;
};

struct TrialResult {
  static constexpr double failed = -std::numeric_limits<double>::infinity();

  double score = failed;  // of validation; higher is better
  int64_t steps = 0;
  double seconds = 0;     // that it took
  bool complete = false;  // its epochs were over before the time was
};

struct Trial {
  Recipe recipe;
  double limit = 0;  // in seconds
  TrialResult result;
};

// Tries a recipe for at most `seconds`.
using TryRecipe = std::function<TrialResult(const Recipe& recipe, double seconds)>;

struct SearchSettings {
  double seconds = 0;  // for all trials together
  uint64_t seed = 1;
  SearchSpace space;
};

struct SearchResult {
  Recipe best;
  std::vector<Trial> trials;
  double seconds = 0;  // that they took
};

// Up to `count` different recipes, `first` among them as the first. `asked` is what it was decided
// from.
std::vector<Recipe> recipes_around(const Recipe& first, const Recipe& asked,
                                   const SearchSpace& space, size_t count, uint64_t seed);

// A short trial of `first` tells how fast this machine is, and so how many recipes (8, 4 or 2) get
// at least 50 steps in the first round; where not even two do, `first` is the result. Each round
// has the same time and half as many recipes as the one before, those that scored best. `first`
// stays to the end, and wins unless another one is better.
SearchResult search_recipe(const Recipe& first, const Recipe& asked, const SearchSettings& settings,
                           const TryRecipe& try_recipe);

}  // namespace train
}  // namespace headroom
