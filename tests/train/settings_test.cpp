// The list of settings is complete enough to store a run, and to tell two runs apart.
#include "train/settings.h"

#include <gtest/gtest.h>

#include <set>

#include "support.h"
#include "train/change_setting.h"

namespace headroom {
namespace {
using testing::change_setting;
using testing::expect_error;

TEST(Settings, HaveNamesOfTheirOwnAndSayWhatTheyAreFor) {
  TrainRequest request;
  std::set<std::string> names;
  visit_settings(request, [&](const Setting& setting, const auto& /*value*/) {
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name << " is there twice";
    EXPECT_FALSE(setting.help.empty()) << setting.name;
  });
  EXPECT_GT(names.size(), 80U);
}

TEST(Settings, AreToldApartAndRestoredOneByOne) {
  const Json usual = settings_to_json(TrainRequest());
  int count = 0;
  for (;; ++count) {
    TrainRequest request;
    const auto changed = change_setting(request, count);
    if (!changed) break;
    SCOPED_TRACE(changed->name);
    const Json json = settings_to_json(request);
    for (const auto& [name, value] : json.items()) {
      EXPECT_EQ(value != usual[name], name == changed->name) << name;
    }
    TrainRequest restored;
    settings_from_json(Json::parse(json.dump()), restored);
    EXPECT_EQ(settings_to_json(restored), json);
  }
  EXPECT_EQ(count, static_cast<int>(usual.size()));
}

TEST(Settings, OfARecipeCanBeReadAlone) {
  Recipe recipe;
  settings_from_json(Json::parse(R"({"batch": 7, "allocation": "depth", "fixed-budget": 0.5})"),
                     recipe);
  EXPECT_EQ(recipe.batch_size, 7);
  EXPECT_EQ(recipe.nested.allocation, Allocation::depth);
  EXPECT_EQ(recipe.stages.fixed_budget, 0.5);
}

TEST(Settings, ThatDoNotFitAreRefused) {
  Recipe recipe;
  const auto read = [&](const char* json) { settings_from_json(Json::parse(json), recipe); };
  expect_error(ErrorCode::usage, "nobody knows", [&] { read(R"({"bach": 7})"); });
  expect_error(ErrorCode::usage, "batch cannot be \"many\"", [&] { read(R"({"batch": "many"})"); });
  expect_error(ErrorCode::usage, "batch is out of its range", [&] { read(R"({"batch": 0})"); });
  expect_error(ErrorCode::usage, "allocation", [&] { read(R"({"allocation": "even"})"); });
}

}  // namespace
}  // namespace headroom
