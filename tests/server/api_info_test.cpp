// What the server tells about itself.
#include "server/api/info.h"

#include <gtest/gtest.h>

#include <set>

#include "server/api/api.h"
#include "server/api/embedded_files.h"
#include "server/fake_backend.h"
#include "server/telemetry/metrics.h"

namespace headroom::server {
namespace {
using namespace testing;

TEST(Plan, SaysWhatIsAliveAtABudget) {
  const Json plan = plan_json(small_model("news"), 0.5);
  EXPECT_EQ(plan["budget"], 0.5);
  EXPECT_EQ(plan["heads"], Json({1, 1}));
  EXPECT_EQ(plan["kept_heads"], Json({{0}, {0}}));
  EXPECT_EQ(plan["ffn"], Json({16, 16}));
  EXPECT_GT(plan["macs_fraction"], 0.4);
  EXPECT_LT(plan["macs_fraction"], 0.6);
  EXPECT_EQ(plan["p50_ms_32"], 4.0) << "1 ms at 8 tokens";
  EXPECT_EQ(plan_json(small_model("news"), 1)["macs_fraction"], 1.0);
}

TEST(Models, AreListedWithTheirBudgets) {
  FakeBackend backend({"news", "mail"});
  const Json models = models_json(backend, 0.25)["models"];
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[0]["name"], "news");
  EXPECT_EQ(models[0]["default"], true);
  EXPECT_EQ(models[1]["default"], false);
  EXPECT_EQ(models[0]["labels"], Json({"money", "sport"}));
  EXPECT_EQ(models[0]["pairs"], false);
  EXPECT_EQ(models[0]["auto"], false);
  EXPECT_EQ(models[0]["scope"], "heads+ffn");
  EXPECT_EQ(models[0]["budgets"].size(), 2U) << "those that were measured";
  EXPECT_EQ(models[0]["min_budget"], 0.25);
  EXPECT_TRUE(models[0]["scores"].is_null());
}

TEST(Live, HasAMinute) {
  const Json live = live_json(FakeBackend().live("news"));
  EXPECT_EQ(live["queue"], 3);
  EXPECT_EQ(live["history"].size(), 60U);
  for (const char* key : {"requests_per_second", "p99_ms", "budget", "refused", "draining"}) {
    EXPECT_TRUE(live.contains(key)) << key;
  }
}

TEST(Key, IsNobodysWithoutAFileOfKeys) {
  FakeBackend backend;
  Metrics metrics({"news"});
  for (const char* one_key : {"", "secret"}) {
    Router router(api_routes(backend, {}), one_key, metrics, [] {});
    router.handle(
        {{"GET", "/v1/key", "Bearer secret", "", "", ""}, "", {}},
        [](const HttpResponse& response) {
          EXPECT_EQ(response.status, 200);
          EXPECT_EQ(Json::parse(response.body), Json({{"name", nullptr}, {"priority", "normal"}}));
        });
  }
}

// "GET /v1/models" of every operation in the document.
std::set<std::string> documented(const Json& document) {
  std::set<std::string> names;
  for (const auto& [path, operations] : document["paths"].items()) {
    for (const auto& [method, operation] : operations.items()) {
      if (method == "parameters") continue;
      names.insert((method == "get" ? "GET " : "POST ") + path);
    }
  }
  return names;
}

TEST(OpenApi, DescribesEveryPathAndNoOther) {
  FakeBackend backend;
  Metrics metrics({"news"});
  const Router router(api_routes(backend, {}), "", metrics, [] {});
  const std::vector<std::string> served = router.names();
  EXPECT_EQ(documented(Json::parse(openapi_json())),
            std::set<std::string>(served.begin(), served.end()));
}

TEST(OpenApi, EveryReferenceLeadsSomewhere) {
  const Json document = Json::parse(openapi_json());
  const Json flat = document.flatten();
  for (const auto& [key, value] : flat.items()) {
    if (!key.ends_with("$ref")) continue;
    const std::string pointer = value.get<std::string>().substr(1);
    EXPECT_TRUE(document.contains(Json::json_pointer(pointer))) << value;
  }
}

TEST(Page, IsPartOfTheProgram) {
  EXPECT_TRUE(page_html().starts_with("<!doctype html>"));
}

}  // namespace
}  // namespace headroom::server
