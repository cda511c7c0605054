// What is to be served of a folder, and how that changes by request.
#include "server/models/serving_plan.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "base/files/file.h"
#include "server/models/model_routes.h"
#include "support.h"

namespace headroom::server {
namespace {
using namespace testing;

using Names = std::vector<std::string>;

class ModelFolder : public ::testing::Test {
 protected:
  // A folder that looks like a checkpoint.
  void store(const std::string& name) {
    std::filesystem::create_directories(path() / name);
    write_file_atomically(path() / name / "config.json", "{}");
  }
  void write_routes(const std::string& json) {
    write_file_atomically(path() / "routes.json", json);
  }
  const std::filesystem::path& path() const { return folder_.path(); }
  ServingPlan plan(const std::vector<ModelSource>& fixed = {}) const {
    return plan_serving(fixed, path());
  }
  ServingPlan loaded(const ServingPlan& before, const LoadRequest& wanted) const {
    return with_loaded(before, stored_models(path()), wanted);
  }

  TemporaryFolder folder_;
};

Names names_in(const std::vector<ModelSource>& models) {
  Names names;
  for (const ModelSource& model : models) names.push_back(model.name);
  return names;
}

// "news: news@1 0.9, news@2 0.1"
Names shown(const ServingPlan& plan) {
  Names lines;
  for (const ModelRoute& route : plan.routes) {
    std::string line = route.name + ":";
    for (const auto& target : route.targets) {
      line += fmt::format(" {} {:.2g}", target.model, target.weight);
    }
    lines.push_back(line);
  }
  return lines;
}

TEST_F(ModelFolder, HoldsCheckpointsAndVersionsOfThem) {
  store("mail");
  for (const char* version : {"1", "9", "10", "draft", "01"}) store(std::string("news/") + version);
  std::filesystem::create_directories(path() / "empty");
  store(".staged");
  const auto stored = stored_models(path());
  EXPECT_EQ(names_in(stored), (Names{"mail", "news@1", "news@9", "news@10"}));
  EXPECT_EQ(stored[0].directory, path() / "mail");
  EXPECT_EQ(stored[3].directory, path() / "news" / "10");
  store("my model");
  expect_error(ErrorCode::usage, "is no name for a model", [&] { stored_models(path()); });
  expect_error(ErrorCode::usage, "nowhere", [&] { stored_models(path() / "nowhere"); });
}

TEST_F(ModelFolder, TheLatestVersionIsServed) {
  store("mail");
  store("news/1");
  store("news/2");
  EXPECT_EQ(names_in(plan().models), (Names{"mail", "news@2"}));
  EXPECT_EQ(shown(plan()), Names{"news: news@2 1"});
  EXPECT_EQ(names_in(plan({{"first", "/elsewhere"}}).models), (Names{"first", "mail", "news@2"}));
  expect_error(ErrorCode::usage, "both have a model mail", [&] { plan({{"mail", "/elsewhere"}}); });
}

TEST_F(ModelFolder, RoutesNameAliasesAndSplitTraffic) {
  store("mail");
  for (const char* version : {"1", "2", "3"}) store(std::string("news/") + version);
  write_routes(R"({"stable": "news@1", "news": {"news@2": 9, "news@3": 1}, "post": "mail"})");
  EXPECT_EQ(names_in(plan().models), (Names{"mail", "news@1", "news@2", "news@3"}));
  EXPECT_EQ(shown(plan()), (Names{"stable: news@1 1", "news: news@2 9 news@3 1", "post: mail 1"}));
  write_routes(R"({"stable": "news@1"})");
  EXPECT_EQ(names_in(plan().models), (Names{"mail", "news@1", "news@3"})) << "and the latest";
}

TEST_F(ModelFolder, WrongRoutesAreToldWithWhatThereIs) {
  store("news/1");
  const auto expect_complaint = [&](const std::string& json, const std::string& complaint) {
    write_routes(json);
    expect_error(ErrorCode::bad_data, complaint, [&] { plan(); });
  };
  expect_complaint(R"({"stable": "news@7"})", "names news@7, which is not there; there are news@1");
  expect_complaint(R"({"news": {"news@1": 0}})", "has no weight above 0");
  expect_complaint(R"({"news": {"news@1": -1}})", "no weight from 0");
  expect_complaint(R"({"news": 3})", "neither a model nor models with their weights");
  expect_complaint(R"({"a@b": "news@1"})", "is no name");
  expect_complaint("[]", "routes.json");
}

TEST_F(ModelFolder, ANewVersionTakesOverInTheSamePlace) {
  store("mail");
  store("a-news/1");
  const ServingPlan before = plan();
  EXPECT_EQ(names_in(before.models), (Names{"a-news@1", "mail"}));
  store("a-news/2");
  const ServingPlan after = loaded(before, {"a-news", {}, {}});
  EXPECT_EQ(names_in(after.models), (Names{"a-news@2", "mail"})) << "the first is the default";
  EXPECT_EQ(shown(after), Names{"a-news: a-news@2 1"});
  EXPECT_EQ(loaded(after, {"a-news", "1", {}}).models, before.models) << "and back again";
}

TEST_F(ModelFolder, ACanaryGetsItsPartOfTheTraffic) {
  for (const char* version : {"1", "2", "3"}) store(std::string("news/") + version);
  ServingPlan now = loaded(plan(), {"news", "1", {}});
  now = loaded(now, {"news", "2", 0.2});
  EXPECT_EQ(shown(now), Names{"news: news@1 0.8 news@2 0.2"});
  now = loaded(now, {"news", "3", 0.5});
  EXPECT_EQ(shown(now), Names{"news: news@1 0.4 news@2 0.1 news@3 0.5"});
  EXPECT_EQ(now.models.size(), 3U);
  now = without(now, "news", "1");
  EXPECT_EQ(shown(now), Names{"news: news@2 0.17 news@3 0.83"});
  now = loaded(now, {"news", {}, {}});
  EXPECT_EQ(names_in(now.models), Names{"news@3"});
}

TEST_F(ModelFolder, WhatAnAliasNeedsStays) {
  for (const char* version : {"1", "2"}) store(std::string("news/") + version);
  write_routes(R"({"stable": "news@1", "news": "news@1"})");
  const ServingPlan now = loaded(plan(), {"news", "2", {}});
  EXPECT_EQ(names_in(now.models), (Names{"news@1", "news@2"}));
  expect_error(ErrorCode::usage, "news@1 answers to \"stable\"", [&] { without(now, "news", {}); });
  EXPECT_EQ(names_in(without(now, "news", "2").models), Names{"news@1"});
}

TEST_F(ModelFolder, WhatIsNotThereIsRefused) {
  store("mail");
  store("news/1");
  const ServingPlan now = plan();
  expect_error(ErrorCode::usage,
               "no model \"spam\" in the folder of --models; there are mail, news", [&] {
                 loaded(now, {"spam", {}, {}});
               });
  expect_error(ErrorCode::usage, "no version \"4\"; there are news@1", [&] {
    loaded(now, {"news", "4", {}});
  });
  expect_error(ErrorCode::usage, "\"spam\" is not loaded", [&] { without(now, "spam", {}); });
  expect_error(ErrorCode::usage, "version \"2\" is not loaded", [&] { without(now, "news", "2"); });
  const ServingPlan one = without(now, "news", {});
  EXPECT_EQ(names_in(one.models), Names{"mail"});
  EXPECT_TRUE(one.routes.empty());
  expect_error(ErrorCode::usage, "the only model here", [&] { without(one, "mail", {}); });
}

TEST(ModelRoutes, SplitTrafficByWeight) {
  const ModelRoutes routes({{"news", {{"news@1", 0.9}, {"news@2", 0.1}, {"news@3", 0}}}});
  std::map<std::string, int> all;
  std::map<std::string, int> every_other;
  for (int i = 0; i < 1000; ++i) {
    const std::string model = *routes.pick("news");
    ++all[model];
    if (i % 2 == 0) ++every_other[model];
  }
  EXPECT_NEAR(all["news@1"], 900, 5);
  EXPECT_NEAR(all["news@2"], 100, 5);
  EXPECT_EQ(all.count("news@3"), 0U) << "asked by its own name alone";
  EXPECT_NEAR(every_other["news@2"], 50, 5) << "also for one of two clients that take turns";
  EXPECT_EQ(routes.pick("mail"), nullptr);
}

TEST(ModelNames, HaveAVersionOrTheFirst) {
  EXPECT_EQ(name_without_version("news@12"), "news");
  EXPECT_EQ(version_of("news@12"), "12");
  EXPECT_EQ(name_without_version("news"), "news");
  EXPECT_EQ(version_of("news"), "1");
}

}  // namespace
}  // namespace headroom::server
