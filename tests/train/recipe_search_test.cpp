#include "train/recipe_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <tuple>

namespace headroom {
namespace {

Recipe first_recipe() {
  Recipe recipe = fine_tuning_recipe({});
  recipe.dense_epochs = 4;
  recipe.nested_epochs = 3;
  return recipe;
}

Recipe open() {
  return open_recipe({});
}

// A machine on which a step takes a hundredth of a second, and epochs have ten steps.
TrialResult timed(const Recipe& recipe, double seconds, double score) {
  const double steps = 10 * recipe.dense_epochs;
  TrialResult result;
  result.complete = steps <= 100 * seconds;
  result.steps = static_cast<int64_t>(std::min(steps, 100 * seconds));
  result.seconds = static_cast<double>(result.steps) / 100;
  result.score = score;
  return result;
}

SearchSettings an_hour() {
  return {.seconds = 3600, .seed = 1, .space = {}};
}

TEST(RecipeSearch, FindsTheBetterRecipe) {
  const double wanted = 2 * first_recipe().dense_rate;
  const auto likes_a_high_rate = [&](const Recipe& recipe, double seconds) {
    return timed(recipe, seconds, -std::abs(std::log(recipe.dense_rate / wanted)));
  };
  const SearchResult found = search_recipe(first_recipe(), open(), an_hour(), likes_a_high_rate);
  EXPECT_EQ(found.best.dense_rate, wanted);
  EXPECT_EQ(found.best.nested_rate, 2 * first_recipe().nested_rate) << "left open: follows";
}

TEST(RecipeSearch, KeepsTheFirstWhereNoneIsBetter) {
  const SearchResult found = search_recipe(
      first_recipe(), open(), an_hour(),
      [](const Recipe& recipe, double seconds) { return timed(recipe, seconds, 0.5); });
  EXPECT_EQ(found.best.dense_rate, first_recipe().dense_rate);
  EXPECT_EQ(found.best.batch_size, first_recipe().batch_size);
  EXPECT_EQ(found.best.dropout, first_recipe().dropout);
}

TEST(RecipeSearch, TheSameAnswersGiveTheSameTrials) {
  const auto by_dropout = [](const Recipe& recipe, double seconds) {
    return timed(recipe, seconds / 3, recipe.dropout);
  };
  const SearchResult once = search_recipe(first_recipe(), open(), an_hour(), by_dropout);
  const SearchResult again = search_recipe(first_recipe(), open(), an_hour(), by_dropout);
  ASSERT_EQ(once.trials.size(), again.trials.size());
  for (size_t i = 0; i < once.trials.size(); ++i) {
    EXPECT_EQ(once.trials[i].limit, again.trials[i].limit);
    EXPECT_EQ(once.trials[i].recipe.dense_rate, again.trials[i].recipe.dense_rate);
  }
}

// Whose epochs never end.
TrialResult endless(double seconds, double score) {
  return {score, static_cast<int64_t>(100 * seconds), seconds, false};
}

TEST(RecipeSearch, HalvesTheRecipesAndDoublesTheirTime) {
  const SearchResult found = search_recipe(
      first_recipe(), open(), an_hour(),
      [](const Recipe& recipe, double seconds) { return endless(seconds, recipe.dropout); });
  ASSERT_EQ(found.trials.size(), 1U + 8 + 4 + 2);
  EXPECT_NEAR(found.trials[0].limit, 180, 1e-9) << "how fast is this machine?";
  EXPECT_NEAR(found.trials[1].limit, 1140.0 / 8, 1e-6);
  EXPECT_NEAR(found.trials[9].limit, 1140.0 / 4, 1e-6);
  EXPECT_NEAR(found.trials[13].limit, 1140.0 / 2, 1e-6);
  EXPECT_NEAR(found.seconds, 3600, 1e-6);
  EXPECT_EQ(found.best.dropout, 0.2);
}

TEST(RecipeSearch, TrialsThatTakeTooLongShortenThoseBehindThem) {
  const SearchResult found = search_recipe(first_recipe(), open(), an_hour(),
                                           [](const Recipe& /*recipe*/, double seconds) {
                                             TrialResult result = endless(seconds, 0.5);
                                             result.seconds += 20;  // to validate
                                             return result;
                                           });
  EXPECT_LE(found.seconds, 3600 + 20 + 1e-6);
}

TEST(RecipeSearch, TriesFewerRecipesOnASlowMachine) {
  const auto trials = [](double steps_a_second) {
    return search_recipe(first_recipe(), open(), an_hour(),
                         [&](const Recipe& /*recipe*/, double seconds) {
                           return TrialResult{0.5, static_cast<int64_t>(steps_a_second * seconds),
                                              seconds, false};
                         })
        .trials.size();
  };
  EXPECT_EQ(trials(1.0), 15U);
  EXPECT_EQ(trials(0.2), 7U) << "the speed, four, two";
  EXPECT_EQ(trials(0.05), 3U);
  EXPECT_EQ(trials(0.01), 1U) << "nothing to compare";
}

TEST(RecipeSearch, WhatEndedByItselfIsNotTriedAgain) {
  int trials = 0;
  search_recipe(first_recipe(), open(), an_hour(), [&](const Recipe& recipe, double seconds) {
    ++trials;
    return timed(recipe, seconds, recipe.dropout);
  });
  EXPECT_EQ(trials, 8);
}

TEST(RecipeSearch, ARecipeThatFailsIsNotChosen) {
  const double high = 1.5 * first_recipe().dense_rate;
  const SearchResult found =
      search_recipe(first_recipe(), open(), an_hour(), [&](const Recipe& recipe, double seconds) {
        return timed(recipe, seconds,
                     recipe.dense_rate > high ? TrialResult::failed : recipe.dense_rate);
      });
  EXPECT_EQ(found.best.dense_rate, first_recipe().dense_rate);
}

TEST(RecipesAround, AreDifferentAndBeginWithTheFirst) {
  const std::vector<Recipe> recipes = recipes_around(first_recipe(), open(), {}, 8, 1);
  ASSERT_EQ(recipes.size(), 8U);
  EXPECT_EQ(recipes[0].dense_rate, first_recipe().dense_rate);
  std::set<std::tuple<double, double, int, double>> seen;
  for (const Recipe& each : recipes) {
    seen.insert({each.dense_rate, each.dense_epochs, each.batch_size, each.dropout});
  }
  EXPECT_EQ(seen.size(), 8U);
}

TEST(RecipesAround, KeepWhatIsNotToChange) {
  Recipe asked = open();
  asked.nested_rate = first_recipe().nested_rate;  // was given
  for (const Recipe& each :
       recipes_around(first_recipe(), asked, {.batch = false, .dropout = false}, 8, 1)) {
    EXPECT_EQ(each.batch_size, first_recipe().batch_size);
    EXPECT_EQ(each.dropout, first_recipe().dropout);
    EXPECT_EQ(each.nested_rate, first_recipe().nested_rate);
  }
  EXPECT_EQ(recipes_around(first_recipe(), asked,
                           {.rate = true, .epochs = false, .batch = false, .dropout = false}, 8, 1)
                .size(),
            4U)
      << "there are no more";
  EXPECT_EQ(recipes_around(first_recipe(), asked, {false, false, false, false}, 8, 1).size(), 1U);
}

}  // namespace
}  // namespace headroom
