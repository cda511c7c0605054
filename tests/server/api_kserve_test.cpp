// KServe's protocol as values, and its paths through the router.
#include "server/api/dialects/kserve.h"

#include <gtest/gtest.h>

#include "server/fake_backend.h"
#include "server/telemetry/metrics.h"

namespace headroom::server {
namespace {
using namespace testing;

const std::string two_texts =
    R"({"id":"7","inputs":[{"name":"text","shape":[2],"datatype":"BYTES","data":["a","b"]}]})";

// What the protocol's routes answer.
class KServe : public ::testing::Test {
 protected:
  HttpResponse ask(const std::string& method, const std::string& path,
                   const std::string& body = "") {
    HttpResponse answer;
    router_.handle(
        {{method, path, "", "application/json", "", ""}, body, std::chrono::steady_clock::now()},
        [&](HttpResponse response) { answer = std::move(response); });
    return answer;
  }
  Json ask_json(const std::string& method, const std::string& path, const std::string& body = "") {
    return Json::parse(ask(method, path, body).body);
  }

  FakeBackend backend_;
  Metrics metrics_{{"news"}};
  Router router_{kserve_routes(backend_, {}), "", metrics_, [] {}};
};

TEST(InferBody, TakesTensorsAndParameters) {
  const InferRequest request =
      parse_infer(R"({"id":"7","parameters":{"budget":0.5,"latency_target_ms":9},"inputs":[)"
                  R"({"name":"text_pair","shape":[1],"datatype":"BYTES","data":["b"]},)"
                  R"({"name":"text","shape":[1],"datatype":"BYTES","data":["a"]}],)"
                  R"("outputs":[{"name":"label"}]})",
                  {});
  EXPECT_EQ(request.id, "7");
  EXPECT_EQ(request.call.budget, 0.5);
  EXPECT_EQ(request.call.latency_ms, 9);
  ASSERT_EQ(request.call.texts.size(), 1U);
  EXPECT_EQ(request.call.texts[0].text, "a");
  EXPECT_EQ(request.call.texts[0].pair, "b");
  EXPECT_EQ(request.outputs, std::vector<std::string>{"label"});
}

TEST(InferBody, TakesAColumnFlatOrNested) {
  for (const char* data : {R"(["a","b"])", R"([["a"],["b"]])"}) {
    const InferRequest request =
        parse_infer(R"({"inputs":[{"name":"text","shape":[2,1],"datatype":"BYTES","data":)" +
                        std::string(data) + "}]}",
                    {});
    ASSERT_EQ(request.call.texts.size(), 2U) << data;
    EXPECT_EQ(request.call.texts[1].text, "b");
  }
}

TEST(InferBody, TakesNoMoreTextsThanAllowed) {
  EXPECT_NO_THROW(parse_infer(two_texts, {.texts = 2}));
  EXPECT_THROW(parse_infer(two_texts, {.texts = 1}), HttpError);
}

TEST_F(KServe, AnswersWithTensors) {
  const Json body = ask_json("POST", "/v2/models/news/infer", two_texts);
  EXPECT_EQ(body["model_name"], "news");
  EXPECT_EQ(body["model_version"], "1");
  EXPECT_EQ(body["id"], "7");
  EXPECT_EQ(body["parameters"]["inference_ms"], 1.5);
  EXPECT_FALSE(body["parameters"].contains("lowered"));
  backend_.lowered = Lowered::budget;
  EXPECT_EQ(ask_json("POST", "/v2/models/news/infer", two_texts)["parameters"]["lowered"],
            "budget");
  ASSERT_EQ(body["outputs"].size(), 5U);
  EXPECT_EQ(body["outputs"][0].dump(),
            R"({"name":"label","datatype":"BYTES","shape":[2],"data":["sport","sport"]})");
  EXPECT_EQ(body["outputs"][1].dump(),
            R"({"name":"scores","datatype":"FP64","shape":[2,2],"data":[0.25,0.75,0.25,0.75]})");
  EXPECT_EQ(body["outputs"][4]["datatype"], "INT64");
}

TEST_F(KServe, AnswersOnlyWithTheOutputsAskedFor) {
  std::string body = two_texts;
  body.insert(1, R"("outputs":[{"name":"tokens"},{"name":"label"}],)");
  const Json answer = ask_json("POST", "/v2/models/news/versions/1/infer", body);
  ASSERT_EQ(answer["outputs"].size(), 2U);
  EXPECT_EQ(answer["outputs"][0]["name"], "tokens");
}

TEST_F(KServe, DescribesServerAndModel) {
  const Json server = ask_json("GET", "/v2");
  EXPECT_EQ(server["name"], "headroom");
  EXPECT_EQ(server["extensions"], Json({"binary_tensor_data", "headroom_budget"}));
  for (const char* path : {"/v2/models/news", "/v2/models/news/versions/1"}) {
    const Json model = ask_json("GET", path);
    EXPECT_EQ(model["name"], "news");
    EXPECT_EQ(model["inputs"][0].dump(), R"({"name":"text","datatype":"BYTES","shape":[-1]})");
    EXPECT_EQ(model["outputs"][1]["shape"], Json({-1, 2}));
  }
}

TEST_F(KServe, IsReadyUntilItDrains) {
  EXPECT_EQ(ask("GET", "/v2/health/live").status, 200);
  EXPECT_EQ(ask("GET", "/v2/health/ready").status, 200);
  EXPECT_EQ(ask("GET", "/v2/models/news/ready").status, 200);
  backend_.begin_drain();
  EXPECT_EQ(ask("GET", "/v2/health/live").status, 200) << "alive, only not ready";
  EXPECT_EQ(ask("GET", "/v2/health/ready").status, 503);
  EXPECT_EQ(ask("GET", "/v2/models/news/ready").status, 503);
}

TEST_F(KServe, ErrorsAreStringsAlsoWhenTheyComeLate) {
  EXPECT_TRUE(ask_json("GET", "/v2/models/other")["error"].is_string());
  backend_.refusal = {Refusal::queue_full, 3, "the queue is full"};
  const HttpResponse refused = ask("POST", "/v2/models/news/infer", two_texts);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(Json::parse(refused.body)["error"], "the queue is full");
}

TEST_F(KServe, OptionalFieldsMayBeNull) {
  const auto status = [&](const std::string& more) {
    return ask("POST", "/v2/models/news/infer",
               R"({"inputs":[{"name":"text","shape":[1],"datatype":"BYTES","data":["a"]}])" + more +
                   "}")
        .status;
  };
  EXPECT_EQ(status(R"(,"id":null,"parameters":null,"outputs":null)"), 200);
  EXPECT_EQ(status(R"(,"parameters":{"budget":null,"latency_target_ms":null})"), 200);
  EXPECT_EQ(status(R"(,"outputs":[{"name":"label","parameters":null}])"), 200);
  EXPECT_EQ(ask("POST", "/v2/models/news/infer",
                R"({"inputs":[{"name":"text","shape":[1],"datatype":"BYTES","parameters":null,)"
                R"("data":["a"]}]})")
                .status,
            200);
  EXPECT_EQ(ask("POST", "/v2/models/news/infer", R"({"inputs":null})").status, 400);
}

TEST_F(KServe, WhatOtherServersClientsAlwaysSendIsIgnored) {
  const auto status = [&](const std::string& more) {
    return ask("POST", "/v2/models/news/infer",
               R"({"inputs":[{"name":"text","shape":[1],"datatype":"BYTES","data":["a"]}])" + more +
                   "}")
        .status;
  };
  EXPECT_EQ(status(R"(,"parameters":{"binary_data_output":false,"priority":1,"timeout":1000,)"
                   R"("sequence_id":"s","sequence_start":true,"sequence_end":false,"headers":""})"),
            200);
  EXPECT_EQ(status(R"(,"outputs":[{"name":"label","parameters":{"binary_data":false}}])"), 200);
  EXPECT_FALSE(backend_.last_call.budget || backend_.last_call.latency_ms);
  EXPECT_EQ(status(R"(,"parameters":{"bugdet":1})"), 400) << "misspelt, not foreign";
}

TEST_F(KServe, UnknownVersionsAreToldWhatThereIs) {
  for (const char* path : {"", "/ready"}) {
    const HttpResponse response = ask("GET", std::string("/v2/models/news/versions/2") + path);
    EXPECT_EQ(response.status, 404);
    EXPECT_EQ(Json::parse(response.body)["error"],
              "model \"news\" has no version \"2\"; its only version is 1");
  }
  EXPECT_EQ(ask("POST", "/v2/models/news/versions/2/infer", two_texts).status, 404);
}

TEST_F(KServe, ErrorsHaveItsShapeWhateverTheTargetLooksLike) {
  for (const char* target : {"/v2/nowhere", "http://host/v2/nowhere", "/v2/models/other", "/v2?x=%",
                             "http://host:80/v2/models/other"}) {
    const Json body = ask_json("GET", target);
    EXPECT_EQ(body.size(), 1U) << target;
    EXPECT_TRUE(body["error"].is_string()) << target;
  }
  EXPECT_TRUE(Json::parse(router_
                              .refuse({"GET", "http://h/v2", "", "", "", ""},
                                      {HttpErrorCode::headers_too_large, "x"})
                              .body)["error"]
                  .is_string());
  EXPECT_TRUE(ask_json("GET", "http://host/v1/v2")["error"].is_object()) << "not under /v2";
}

TEST_F(KServe, ASecondTextIsOptional) {
  const Json inputs = ask_json("GET", "/v2/models/news")["inputs"];
  EXPECT_FALSE(inputs[0].contains("parameters"));
  EXPECT_EQ(inputs[1]["name"], "text_pair");
  EXPECT_EQ(inputs[1]["parameters"]["optional"], true);
}

TEST(KServeVersions, AnswersSayWhichVersionGaveThem) {
  FakeBackend backend({"news@1", "news@2"});
  backend.aliases = {{"news", "news@1"}, {"stable", "news@1"}};
  Metrics metrics({});
  Router router(kserve_routes(backend, {}), "", metrics, [] {});
  const auto ask = [&](const std::string& method, const std::string& path) {
    Json answer;
    router.handle({{method, path, "", "application/json", "", ""},
                   method == "POST" ? two_texts : "",
                   std::chrono::steady_clock::now()},
                  [&](const HttpResponse& response) { answer = Json::parse(response.body); });
    return answer;
  };
  EXPECT_EQ(ask("GET", "/v2/models/news")["versions"], Json({"1", "2"}));
  for (const auto& [path, version] : std::map<std::string, std::string>{
           {"news", "1"}, {"stable", "1"}, {"news@2", "2"}, {"news/versions/2", "2"}}) {
    const Json answer = ask("POST", "/v2/models/" + path + "/infer");
    EXPECT_EQ(answer["model_name"], "news") << path;
    EXPECT_EQ(answer["model_version"], version) << path;
    EXPECT_EQ(backend.last_call.model, "news@" + version) << path;
  }
  EXPECT_EQ(ask("GET", "/v2/models/news/versions/3")["error"],
            "model \"news\" has no version \"3\"; its only versions are 1, 2");
}

}  // namespace
}  // namespace headroom::server
