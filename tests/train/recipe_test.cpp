// What training from a checkpoint chooses when nobody says how long and how fast.
#include "train/recipe.h"

#include <gtest/gtest.h>

#include "train/train_model.h"

namespace headroom {
namespace {

ModelShape mini(int64_t labels) {
  ModelShape shape;
  shape.layers = 4;
  shape.width = 256;
  shape.labels = labels;
  return shape;
}

Recipe chosen_for(int64_t steps_per_epoch, const ModelShape& shape, Task task = Task::classify) {
  return decided(open_recipe({}), steps_per_epoch, shape, task);
}

TEST(FineTuning, SmallSetsAndManyLabelsGetMorePasses) {
  const Recipe news = chosen_for(1056, mini(4));
  EXPECT_EQ(news.dense_epochs, 3);
  EXPECT_EQ(news.nested_epochs, 4);
  const Recipe banking = chosen_for(282, mini(77));
  EXPECT_EQ(banking.dense_epochs, 18);
  EXPECT_EQ(banking.nested_epochs, 12);
  const Recipe tickets = chosen_for(4, mini(4));
  EXPECT_EQ(tickets.dense_epochs, 40) << "there is a limit";
}

TEST(FineTuning, TaggersStayNestedForLonger) {
  const Recipe names = chosen_for(395, mini(9), Task::tag);
  EXPECT_EQ(names.dense_epochs, 6);
  EXPECT_EQ(names.nested_epochs, 12);
}

TEST(FineTuning, LargerModelsLearnMoreSlowly) {
  EXPECT_DOUBLE_EQ(chosen_for(1000, mini(4)).dense_rate, 2e-4);
  EXPECT_DOUBLE_EQ(chosen_for(1000, mini(4)).hard_rate, 1e-4);
  ModelShape base = mini(4);
  base.layers = 16;
  EXPECT_DOUBLE_EQ(chosen_for(1000, base).nested_rate, 1e-4);
  base.layers = 1;
  EXPECT_DOUBLE_EQ(chosen_for(1000, base).nested_rate, 2e-4) << "smaller ones not faster";
}

TEST(FineTuning, WhatIsGivenStays) {
  Recipe recipe = open_recipe({});
  recipe.dense_epochs = 1;
  recipe.nested_rate = 5e-5;
  recipe = decided(recipe, 10, mini(2), Task::classify);
  EXPECT_EQ(recipe.dense_epochs, 1);
  EXPECT_EQ(recipe.nested_rate, 5e-5);
  EXPECT_EQ(describe(decided(Recipe{}, 10, mini(2), Task::classify), Method::dense),
            describe({}, Method::dense))
      << "nothing is open where nothing was pretrained";
}

TEST(FineTuning, IsNestedAndReadsAllThatTheStartReads) {
  const TrainRequest request = default_request(Task::classify, true);
  EXPECT_EQ(request.method, Method::nested);
  EXPECT_EQ(request.task.max_tokens, most_tokens);
  EXPECT_EQ(describe(decided(request.recipe, 282, mini(77), Task::classify), request.method),
            "dense 18 epochs at 0.0002; nested 12 epochs at 0.0002; batch 32, dropout 0.1, weight "
            "decay 0.01");
}

}  // namespace
}  // namespace headroom
