// KServe's repository API: who may change models, and what they are told.
#include <gtest/gtest.h>

#include <future>

#include "base/files/file.h"
#include "server/api/api.h"
#include "server/fake_backend.h"
#include "server/service/model_control.h"
#include "server/telemetry/metrics.h"
#include "support.h"

namespace headroom::server {
namespace {
using namespace testing;

constexpr const char* admin_key = "hr-admin";
constexpr const char* client_key = "hr-client";

ServedModel served(const ModelSource& source, const std::vector<ServedModel>&) {
  if (read_file(source.directory / "config.json", ErrorCode::bad_model) == "large") {
    throw Error(ErrorCode::runtime, "load model", "it takes 9 GiB, but 2 GiB are left");
  }
  ServedModel model = small_model(source.name);
  model.make_runner = [](int) {
    return [](std::span<const Tokens> inputs, double, std::optional<size_t>) {
      return std::vector<Answer>(inputs.size());
    };
  };
  return model;
}

ServiceSettings one_worker() {
  ServiceSettings settings;
  settings.workers = 1;
  return settings;
}

class RepositoryApi : public ::testing::Test {
 protected:
  RepositoryApi() {
    store("mail");
    store("news/1");
    write_file_atomically(folder_.path() / "keys",
                          key_line({"boss", sha256_hex(admin_key), {}, false, true}) +
                              key_line({"app", sha256_hex(client_key)}));
    generations_.emplace(Generations::Parts{served,
                                            [this](Service& service, std::shared_ptr<void> in_use) {
                                              publish(service, in_use);
                                            }},
                         plan_serving({}, folder_.path()), one_worker(), nobody_);
    control_.emplace(folder_.path(), *generations_);
    generations_->publish();
  }
  ~RepositoryApi() override { control_->stop(); }

  void store(const std::string& name, const std::string& content = "{}") {
    std::filesystem::create_directories(folder_.path() / name);
    write_file_atomically(folder_.path() / name / "config.json", content);
  }
  HttpResponse post(Router& router, const std::string& path, const Json& body,
                    const std::string& key = "") {
    std::promise<HttpResponse> reply;
    router.handle({{"POST", path, key.empty() ? "" : "Bearer " + key, "application/json", "", "a"},
                   body.is_null() ? "" : body.dump(),
                   std::chrono::steady_clock::now()},
                  [&](HttpResponse response) { reply.set_value(std::move(response)); });
    return reply.get_future().get();
  }
  HttpResponse change(const std::string& path, const Json& body = nullptr) {
    return post(admin_, "/v2/repository/models/" + path, body);
  }
  // "news 1 READY"
  std::vector<std::string> index(const Json& body = nullptr) {
    const HttpResponse response = post(admin_, "/v2/repository/index", body);
    EXPECT_EQ(response.status, 200) << response.body;
    std::vector<std::string> lines;
    for (const Json& model : Json::parse(response.body)) {
      lines.push_back(model.value("name", "") + " " + model.value("version", "") + " " +
                      model.value("state", ""));
    }
    return lines;
  }

  TemporaryFolder folder_;
  ServiceObserver nobody_;
  Metrics metrics_{{"news"}};
  std::optional<Generations> generations_;
  std::optional<ModelControl> control_;
  Router admin_{{}, "", metrics_, [] {}};
  std::optional<Router> clients_;

 private:
  void publish(Service& service, const std::shared_ptr<void>& in_use) {
    ServerFacts facts;
    facts.control = &*control_;
    if (!clients_) {
      clients_.emplace(std::vector<Route>(), std::make_shared<KeyRing>(folder_.path() / "keys"),
                       metrics_, [] {});
    }
    admin_.replace(admin_routes(service, facts), in_use);
    clients_->replace(api_routes(service, facts), in_use);
  }
};

using Lines = std::vector<std::string>;

TEST_F(RepositoryApi, LoadsTestsSwapsAndUnloads) {
  store("news/2");
  EXPECT_EQ(index(), (Lines{"mail 1 READY", "news 1 READY", "news 2 UNAVAILABLE"}));
  EXPECT_EQ(index({{"ready", true}}), (Lines{"mail 1 READY", "news 1 READY"}));
  const HttpResponse loaded =
      change("news/load", {{"parameters", {{"version", "2"}, {"weight", 0.1}}}});
  EXPECT_EQ(loaded.status, 200) << loaded.body;
  EXPECT_EQ(index(), (Lines{"mail 1 READY", "news 1 READY", "news 2 READY"}));
  EXPECT_EQ(change("news/unload", {{"parameters", {{"version", "1"}}}}).status, 200);
  EXPECT_EQ(index({{"ready", true}}), (Lines{"mail 1 READY", "news 2 READY"}));
  EXPECT_EQ(change("mail/unload").status, 200) << "without a body";
  EXPECT_EQ(index({{"ready", true}}), Lines{"news 2 READY"});
}

TEST_F(RepositoryApi, WhatCannotBeLoadedIsToldWithItsNumbers) {
  store("large", "large");
  const HttpResponse large = change("large/load");
  EXPECT_EQ(large.status, 503);
  EXPECT_EQ(Json::parse(large.body)["error"], "it takes 9 GiB, but 2 GiB are left");
  const HttpResponse missing = change("spam/load");
  EXPECT_EQ(missing.status, 422);
  EXPECT_NE(missing.body.find("no model"), std::string::npos) << missing.body;
  EXPECT_EQ(change("news/load", {{"parameters", {{"weight", 2}}}}).status, 400);
  EXPECT_EQ(change("news/load", {{"parameters", {{"wieght", 1}}}}).status, 400);
  EXPECT_EQ(change("news/load", {{"version", "1"}}).status, 400);
  EXPECT_EQ(index({{"ready", true}}), (Lines{"mail 1 READY", "news 1 READY"}));
}

TEST_F(RepositoryApi, IsForAdminsAlone) {
  for (const char* path : {"/v2/repository/index", "/v2/repository/models/news/load"}) {
    EXPECT_EQ(post(*clients_, path, {}, "").status, 401) << path;
    EXPECT_EQ(post(*clients_, path, {}, client_key).status, 403) << path;
    EXPECT_EQ(post(*clients_, path, {}, admin_key).status, 200) << path;
  }
}

TEST(RepositoryRoutes, AreClosedWithoutKeysAndWithoutControl) {
  FakeBackend backend;
  Metrics metrics({"news"});
  const auto status = [&](Router& router, const std::string& authorization = "") {
    int told = 0;
    router.handle(
        {{"POST", "/v2/repository/models/news/unload", authorization, "application/json", "", "a"},
         "{}",
         std::chrono::steady_clock::now()},
        [&](const HttpResponse& response) { told = response.status; });
    return told;
  };
  Router open(api_routes(backend, {}), "", metrics, [] {});
  EXPECT_EQ(status(open), 403);
  Router keyed(api_routes(backend, {}), "secret", metrics, [] {});
  EXPECT_EQ(status(keyed, "Bearer secret"), 403) << "everybody's key is no admin's";
  Router admin(admin_routes(backend, {}), "", metrics, [] {});
  EXPECT_EQ(status(admin), 404) << "models stay unless --model-control says otherwise";
}

}  // namespace
}  // namespace headroom::server
