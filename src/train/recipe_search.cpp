#include "train/recipe_search.h"

#include <algorithm>
#include <array>
#include <bit>
#include <set>
#include <tuple>

#include "base/random.h"

namespace headroom {
inline namespace train {
namespace {

constexpr std::array<double, 4> rate_factors = {0.25, 0.5, 1, 2};
constexpr std::array<double, 3> epoch_factors = {0.5, 1, 2};
constexpr std::array<int, 3> batch_sizes = {16, 32, 64};
constexpr std::array<double, 3> dropouts = {0, 0.1, 0.2};

constexpr double probe_share = 0.05;  // of the time
constexpr size_t most_recipes = 8;
constexpr double least_steps = 50;  // of a trial in the first round

template <typename T, size_t N>
T drawn(const std::array<T, N>& values, Random& random) {
  return values[random.below(N)];
}

// The dense stage's, and the later ones' where they were left to be chosen.
void multiply(Recipe& recipe, const Recipe& asked, double Recipe::*dense,
              std::initializer_list<double Recipe::*> later, double factor) {
  recipe.*dense *= factor;
  for (double Recipe::*each : later) {
    if (asked.*each == left_open) recipe.*each *= factor;
  }
}

// What trials of one recipe have found so far.
struct Contender {
  Recipe recipe;
  TrialResult result;
};

class Search {
 public:
  Search(const SearchSettings& settings, const TryRecipe& try_recipe)
      : settings_(settings), try_recipe_(try_recipe) {}

  TrialResult attempt(const Recipe& recipe, double limit) {
    if (limit <= 0) return {};  // those before took longer than they should
    const TrialResult result = try_recipe_(recipe, limit);
    found_.trials.push_back({recipe, limit, result});
    found_.seconds += result.seconds;
    return result;
  }

  // One time for all contenders; those whose epochs were over before need none of it.
  void run_round(std::vector<Contender>& contenders) {
    const double rounds_left = std::bit_width(contenders.size() - 1);
    const double end = found_.seconds + (settings_.seconds - found_.seconds) / rounds_left;
    for (size_t i = 0; i < contenders.size(); ++i) {
      if (contenders[i].result.complete) continue;
      const auto trials_left = static_cast<double>(contenders.size() - i);
      contenders[i].result = attempt(contenders[i].recipe, (end - found_.seconds) / trials_left);
    }
  }

  // 1 where no two recipes can be compared.
  size_t affordable(const TrialResult& probe) const {
    if (probe.steps == 0 || probe.seconds <= 0) return 1;
    const double speed = static_cast<double>(probe.steps) / probe.seconds;
    const double left = settings_.seconds - found_.seconds;
    for (size_t count = most_recipes; count > 1; count /= 2) {
      const double rounds = std::bit_width(count - 1);
      const double steps = speed * left / rounds / static_cast<double>(count);
      if (probe.complete || steps >= least_steps) return count;
    }
    return 1;
  }

  SearchResult result(const Recipe& best) && {
    found_.best = best;
    return std::move(found_);
  }

 private:
  const SearchSettings& settings_;
  const TryRecipe& try_recipe_;
  SearchResult found_;
};

// The first, and the best of the others: half of them all.
void keep_better_half(std::vector<Contender>& contenders) {
  std::stable_sort(
      contenders.begin() + 1, contenders.end(),
      [](const Contender& a, const Contender& b) { return a.result.score > b.result.score; });
  contenders.resize((contenders.size() + 1) / 2);
}

}  // namespace

std::vector<Recipe> recipes_around(const Recipe& first, const Recipe& asked,
                                   const SearchSpace& space, size_t count, uint64_t seed) {
  std::vector<Recipe> recipes = {first};
  std::set<std::tuple<double, double, int, double>> seen = {
      {first.dense_rate, first.dense_epochs, first.batch_size, first.dropout}};
  Random random{seed, 0x736561726368};
  constexpr int most_draws = 1000;  // a space that is fixed but for one value has few recipes
  for (int draw = 0; draw < most_draws && recipes.size() < count; ++draw) {
    Recipe recipe = first;
    const double rate = drawn(rate_factors, random);
    const double epochs = drawn(epoch_factors, random);
    const int batch = drawn(batch_sizes, random);
    const double dropout = drawn(dropouts, random);
    if (space.rate) {
      multiply(
          recipe, asked, &Recipe::dense_rate,
          {&Recipe::soft_rate, &Recipe::hard_rate, &Recipe::nested_rate, &Recipe::adaptive_rate},
          rate);
    }
    if (space.epochs)
      multiply(recipe, asked, &Recipe::dense_epochs, {&Recipe::nested_epochs}, epochs);
    if (space.batch) recipe.batch_size = batch;
    if (space.dropout) recipe.dropout = dropout;
    const auto key =
        std::tuple(recipe.dense_rate, recipe.dense_epochs, recipe.batch_size, recipe.dropout);
    if (seen.insert(key).second) recipes.push_back(recipe);
  }
  return recipes;
}

SearchResult search_recipe(const Recipe& first, const Recipe& asked, const SearchSettings& settings,
                           const TryRecipe& try_recipe) {
  Search search(settings, try_recipe);
  const TrialResult probe = search.attempt(first, probe_share * settings.seconds);
  std::vector<Contender> contenders;
  for (const Recipe& recipe :
       recipes_around(first, asked, settings.space, search.affordable(probe), settings.seed)) {
    contenders.push_back({recipe, {}});
  }
  if (probe.complete) contenders[0].result = probe;
  while (contenders.size() > 1) {
    search.run_round(contenders);
    if (contenders.size() > 2) {
      keep_better_half(contenders);
      continue;
    }
    const bool other_is_better = contenders[1].result.score > contenders[0].result.score;
    contenders = {contenders[other_is_better ? 1 : 0]};
  }
  return std::move(search).result(contenders[0].recipe);
}

}  // namespace train
}  // namespace headroom
