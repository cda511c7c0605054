// POST /v1/classify as values: what a body means, what an answer says.
#include "server/api/classify.h"

#include <gtest/gtest.h>

#include "server/fake_backend.h"

namespace headroom::server {
namespace {
using namespace testing;

TextsRequest parsed(const std::string& body) {
  return parse_classify(body, {});
}

// The message that refuses `body`.
std::string complaint(const std::string& body) {
  try {
    parsed(body);
  } catch (const HttpError& error) {
    return error.message();
  }
  return "";
}

TEST(ClassifyBody, TakesOneText) {
  const TextsRequest request = parsed(R"({"inputs":"a text"})");
  ASSERT_EQ(request.call.texts.size(), 1U);
  EXPECT_EQ(request.call.texts[0].text, "a text");
  EXPECT_FALSE(request.call.texts[0].pair);
  EXPECT_EQ(request.call.model, "");
  EXPECT_FALSE(request.call.budget || request.call.latency_ms);
}

TEST(ClassifyBody, TakesTextsAndPairsInOneList) {
  const TextsRequest request =
      parsed(R"({"inputs":["a",{"text":"b"},{"text":"c","text_pair":""}]})");
  ASSERT_EQ(request.call.texts.size(), 3U);
  EXPECT_EQ(request.call.texts[1].text, "b");
  EXPECT_FALSE(request.call.texts[1].pair);
  EXPECT_EQ(request.call.texts[2].pair, "") << "an empty second text is a pair all the same";
}

TEST(ClassifyBody, TakesModelBudgetAndTime) {
  const TextsRequest request =
      parsed(R"({"inputs":"a","model":"news","budget":0.5,"latency_ms":10})");
  EXPECT_EQ(request.call.model, "news");
  EXPECT_EQ(request.call.budget, 0.5);
  EXPECT_EQ(request.call.latency_ms, 10);
}

TEST(ClassifyBody, TakesAnAutomaticBudgetWithOrWithoutATime) {
  const TextsRequest request = parsed(R"({"inputs":"a","budget":"auto","latency_ms":10})");
  EXPECT_TRUE(request.call.automatic);
  EXPECT_FALSE(request.call.budget);
  EXPECT_EQ(request.call.latency_ms, 10);
  EXPECT_NE(complaint(R"({"inputs":"a","budget":"most"})").find("or auto"), std::string::npos);
}

TEST(ClassifyBody, KeepsTextsAsTheyAre) {
  EXPECT_EQ(parsed(R"({"inputs":"é\u00e9\n\t\"\ud83d\ude00"})").call.texts[0].text, "éé\n\t\"😀");
  EXPECT_EQ(parsed(R"({"inputs":""})").call.texts[0].text, "");
}

TEST(ClassifyBody, ComplaintsNameTheFieldAndTheFact) {
  EXPECT_EQ(complaint(R"({"inputs":["a",1]})"), "inputs[1] is not a string");
  EXPECT_EQ(complaint(R"({"inputs":[{"text":2}]})"), "inputs[0].text is not a string");
  EXPECT_EQ(complaint(R"({"inputs":"a","budget":-1})"),
            "budget is -1, expected a number from 0 to 1, or auto");
  EXPECT_EQ(
      complaint(R"({"inputs":"a","bugdet":1})"),
      "the body has the unknown field \"bugdet\"; known are inputs, model, budget, latency_ms");
}

TEST(ClassifyBody, ComplaintsDoNotNameTheLibraryThatReadsJson) {
  EXPECT_EQ(complaint("{").find("exception"), std::string::npos) << complaint("{");
}

TEST(ClassifyBody, TooManyKeysAreRefusedBeforeTheyCostTime) {
  std::string body = "{\"inputs\":\"a\"";
  for (int i = 0; i < 100; ++i) body += ",\"k" + std::to_string(i) + "\":0";
  EXPECT_NE(complaint(body + "}").find("more than 64 keys"), std::string::npos);
}

TEST(ClassifyAnswer, HasWhatTheContractSays) {
  const CallAnswer answer = FakeBackend::answer(1, 0.5);
  const Json body = texts_body(small_model("news"), answer.texts, answer, 4.5);
  EXPECT_EQ(body.dump(),
            R"({"model":"news","answers":[{"label":"sport","scores":{"money":0.25,"sport":0.75},)"
            R"("budget":0.5,"active_heads":0.5,"active_ffn":0.5,"tokens":7}],"queue_ms":0.5,)"
            R"("inference_ms":1.5,"predicted_ms":2.5,"total_ms":4.5})");
}

// Submits to a backend and returns what would be sent.
HttpResponse submitted(FakeBackend& backend) {
  HttpResponse sent;
  ApiRequest request;
  request.client = "10.0.0.7";
  request.arrived = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  submit_call(
      backend, {"news", {{"a"}}, {}, {}, "", 0}, request,
      [](const CallAnswer&) { return json_response(Json::object()); },
      [&](HttpResponse response) { sent = std::move(response); });
  return sent;
}

TEST(SubmittedCall, KnowsWhoAsksAndForHowLongItHasWaited) {
  FakeBackend backend;
  EXPECT_EQ(submitted(backend).status, 200);
  EXPECT_EQ(backend.last_call.client, "10.0.0.7");
  EXPECT_GE(backend.last_call.waited_ms, 1000);
}

TEST(SubmittedCall, ADeadlineThatNobodyCouldMeetIsTheClientsFault) {
  FakeBackend backend;
  backend.refusal = {Refusal::deadline_unreachable, 0, "0.01 ms cannot be met"};
  const HttpResponse response = submitted(backend);
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(Json::parse(response.body)["error"]["code"], "deadline_unreachable");
  ASSERT_EQ(response.fields.size(), 1U) << "no Retry-After: no use coming back";
  EXPECT_EQ(response.fields[0].name, error_code_field);
}

TEST(SubmittedCall, TellsWhatItSpentInHeaderFields) {
  CallAnswer answer;
  answer.texts.resize(2);
  answer.texts[0].budget = 0.5;
  answer.texts[0].active_heads = 0.25;
  answer.texts[0].tokens = 7;
  answer.texts[1].tokens = 5;
  answer.queue_ms = 0.25;
  HttpResponse response;
  add_spending_fields(answer, response);
  std::map<std::string, std::string> fields;
  for (const HttpField& field : response.fields) fields[field.name] = field.value;
  EXPECT_EQ(fields["x-headroom-budget"], "0.5") << "the lowest";
  EXPECT_FALSE(fields.contains("x-headroom-lowered"));
  EXPECT_EQ(fields["x-headroom-active-heads"], "0.25");
  EXPECT_EQ(fields["x-headroom-tokens"], "12") << "the sum";
  EXPECT_EQ(fields["x-headroom-queue-ms"], "0.250");
  EXPECT_TRUE(fields.contains("x-headroom-inference-ms"));
  EXPECT_TRUE(fields.contains("x-headroom-predicted-ms"));
}

TEST(SpendingFields, TellTheSumOfAllRungsAndWhatLoadTook) {
  CallAnswer answer;
  answer.texts.resize(1);
  answer.texts[0].budget = 1.125;
  answer.lowered = Lowered::thresholds;
  HttpResponse response;
  add_spending_fields(answer, response);
  std::map<std::string, std::string> fields;
  for (const HttpField& field : response.fields) fields[field.name] = field.value;
  EXPECT_EQ(fields["x-headroom-budget"], "1.125");
  EXPECT_EQ(fields["x-headroom-lowered"], "thresholds");
}

TEST(SubmittedCall, AnAnswerThatCannotBeMadeIsAnError) {
  const auto reply_to = [](auto problem) {
    FakeBackend backend;
    Call call;
    call.model = "news";
    call.inputs.resize(1);
    int status = 0;
    submit_call(
        backend, std::move(call), {}, [&](const CallAnswer&) -> HttpResponse { throw problem; },
        [&](const HttpResponse& response) { status = response.status; });
    return status;
  };
  EXPECT_EQ(reply_to(std::bad_alloc()), 503);
  EXPECT_EQ(reply_to(std::runtime_error("anything")), 500);
}

TEST(SubmittedCall, AReplyThatThrowsIsTriedOnceMore) {
  FakeBackend backend;
  Call call;
  call.model = "news";
  call.inputs.resize(1);
  std::vector<int> statuses;
  submit_call(
      backend, std::move(call), {}, [](const CallAnswer&) { return json_response(Json::object()); },
      [&](const HttpResponse& response) {
        statuses.push_back(response.status);
        throw std::bad_alloc();
      });
  EXPECT_EQ(statuses, (std::vector<int>{200, 503, 503})) << "whole, and then the status alone";
}

TEST(SubmittedCall, OverloadSaysWhenToComeBack) {
  FakeBackend backend;
  backend.refusal = {Refusal::queue_full, 1.25, "the queue is full"};
  const HttpResponse response = submitted(backend);
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(response.model, "news");
  const Json error = Json::parse(response.body)["error"];
  EXPECT_EQ(error["code"], "overloaded");
  EXPECT_EQ(error["retry_after_seconds"], 1.25);
  ASSERT_EQ(response.fields.size(), 2U);
  EXPECT_EQ(response.fields[0].name, "Retry-After");
  EXPECT_EQ(response.fields[0].value, "2") << "whole seconds, rounded up";
}

TEST(SubmittedCall, AServerThatStopsIsUnavailable) {
  FakeBackend backend;
  backend.refusal = {Refusal::draining, 0, ""};
  EXPECT_EQ(submitted(backend).status, 503);
}

TEST(SubmittedCall, WhatTheEngineSaidStaysInside) {
  FakeBackend backend;
  backend.refusal = {Refusal::failed, 0, "std::bad_alloc in /src/engine"};
  const HttpResponse response = submitted(backend);
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.body.find("bad_alloc"), std::string::npos) << response.body;
}

}  // namespace
}  // namespace headroom::server
