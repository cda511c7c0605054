// Several classifiers, one request, one deadline.
#include <gtest/gtest.h>

#include "server/api/api.h"
#include "server/api/guard.h"
#include "server/fake_backend.h"
#include "server/telemetry/metrics.h"

namespace headroom::server {
namespace {
using namespace testing;

class Guard : public ::testing::Test {
 protected:
  Abandon ask(const Json& body) {
    return router_.handle(
        {{"POST", "/v1/guard", "", "application/json", "", "10.0.0.7"},
         body.dump(),
         std::chrono::steady_clock::now()},
        [this](HttpResponse response) { replies_.push_back(std::move(response)); });
  }
  // The one reply.
  HttpResponse reply(const Json& body) {
    ask(body);
    EXPECT_EQ(replies_.size(), 1U);
    return replies_.empty() ? HttpResponse() : replies_.back();
  }
  std::string complaint(const Json& body, int status) {
    replies_.clear();
    const HttpResponse response = reply(body);
    EXPECT_EQ(response.status, status) << response.body;
    return Json::parse(response.body)["error"].value("message", "");
  }

  FakeBackend backend_{{"toxic", "spam", "topic"}};
  Metrics metrics_{{"toxic", "spam", "topic"}};
  Router router_{api_routes(backend_, {}), "", metrics_, [] {}};
  std::vector<HttpResponse> replies_;
};

TEST_F(Guard, EveryModelAnswersEveryText) {
  const HttpResponse response =
      reply({{"inputs", {"a", "b"}}, {"models", {"spam", "toxic"}}, {"latency_ms", 20}});
  ASSERT_EQ(response.status, 200) << response.body;
  const Json models = Json::parse(response.body)["models"];
  ASSERT_EQ(models.size(), 2U);
  EXPECT_EQ(models[0]["model"], "spam");
  EXPECT_EQ(models[1]["model"], "toxic");
  for (const Json& model : models) {
    ASSERT_EQ(model["answers"].size(), 2U);
    EXPECT_EQ(model["answers"][1]["label"], "sport");
  }
  EXPECT_EQ(backend_.last_call.latency_ms, 20);
  EXPECT_EQ(backend_.last_call.client, "10.0.0.7");
}

TEST_F(Guard, ModelsThatAnsweredArePaidThoughOneRefuses) {
  KeyRules rules{"search", ""};
  rules.compute_seconds_per_minute = 0.001;  // a text of 7 tokens takes 1.75 ms
  const auto key = std::make_shared<KeyHolder>(rules);
  Route route = guard_route(backend_, {});
  ApiRequest request;
  request.key = key;
  request.body = R"({"inputs":"a","models":["toxic","spam"]})";
  backend_.refusal = CallRefused{Refusal::overloaded, 1, "too much to do"};
  backend_.refused_model = "spam";
  int status = 0;
  route.answer(request, [&](const HttpResponse& response) { status = response.status; });
  EXPECT_EQ(status, 429);
  EXPECT_LT(key->compute_seconds(steady_seconds())->left, 0);
}

TEST_F(Guard, WithoutNamesAllClassifiersAreAsked) {
  const Json body = Json::parse(reply({{"inputs", "a"}}).body);
  EXPECT_EQ(body["models"].size(), 3U);
}

TEST_F(Guard, OneThatIsRefusedRefusesTheWholeAndStopsTheOthers) {
  backend_.mode = FakeBackend::Mode::later;
  backend_.refusal = CallRefused{Refusal::overloaded, 2, "too much waits"};
  backend_.refused_model = "spam";
  const HttpResponse response = reply({{"inputs", "a"}, {"models", {"toxic", "spam", "topic"}}});
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(Json::parse(response.body)["error"]["message"], "model \"spam\": too much waits");
  EXPECT_TRUE(backend_.wait_for_abandoned(1)) << "toxic, which was asked before";
  EXPECT_EQ(backend_.last_call.model, "spam") << "topic is not asked any more";
  backend_.release_all();
  EXPECT_EQ(replies_.size(), 1U) << "an answer that comes later is not told";
}

TEST_F(Guard, AModelThatCannotAnswerIsToldBeforeTheOthersRun) {
  backend_.mode = FakeBackend::Mode::later;
  backend_.failure = Error(ErrorCode::usage, "serve", "budget 0 needs a bag");
  backend_.failing_model = "topic";
  EXPECT_EQ(complaint({{"inputs", "a"}, {"models", {"toxic", "topic"}}}, 422),
            "budget 0 needs a bag");
  EXPECT_TRUE(backend_.wait_for_abandoned(1));
}

TEST_F(Guard, AClientThatLeavesTakesAllCallsAlong) {
  backend_.mode = FakeBackend::Mode::later;
  const Abandon abandon = ask({{"inputs", "a"}});
  ASSERT_TRUE(backend_.wait_for_calls(3));
  EXPECT_TRUE(replies_.empty());
  abandon();
  EXPECT_TRUE(backend_.wait_for_abandoned(3));
}

TEST_F(Guard, BadBodiesAreRefusedByName) {
  EXPECT_EQ(complaint({{"inputs", "a"}, {"model", "spam"}}, 400),
            "a guard asks several: give models, not model");
  EXPECT_EQ(complaint({{"inputs", "a"}, {"models", {"spam", "spam"}}}, 400),
            "models has \"spam\" twice");
  EXPECT_EQ(complaint({{"inputs", "a"}, {"models", Json::array()}}, 400),
            "models is not a list of names");
  complaint({{"inputs", "a"}, {"models", {"nowhere"}}}, 404);
  complaint({{"inputs", "a"}, {"models", {7}}}, 400);
}

}  // namespace
}  // namespace headroom::server
