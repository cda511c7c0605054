// Keys of a file: who is admitted, to what, and how much of it.
#include "server/keys/key_ring.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/files/file.h"
#include "base/json.h"
#include "server/api/api.h"
#include "server/fake_backend.h"
#include "server/telemetry/metrics.h"
#include "support.h"

namespace headroom::server {
namespace {
using namespace testing;

TEST(Sha256, IsTheOneOfTheStandard) {
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Quota, IsSavedUpForAMinuteAndNoLonger) {
  Quota quota(60);
  for (int i = 0; i < 60; ++i) {
    ASSERT_EQ(quota.wait_seconds(1, 1000), 0) << i;
    quota.take(1, 1000);
  }
  EXPECT_DOUBLE_EQ(quota.wait_seconds(1, 1000), 1);
  EXPECT_EQ(quota.wait_seconds(1, 1001), 0);
  EXPECT_EQ(quota.wait_seconds(60, 5000), 0);
  quota.take(60, 5000);
  EXPECT_DOUBLE_EQ(quota.wait_seconds(1, 5000), 1) << "no more than a minute's";
}

TEST(Quota, ADebtIsPaidOff) {
  Quota quota(6);
  quota.take(12, 1000);
  EXPECT_DOUBLE_EQ(quota.wait_seconds(1e-9, 1000), 60 * (1e-9 + 6) / 6);
  EXPECT_EQ(quota.wait_seconds(1e-9, 1061), 0);
}

TEST(Quota, LessThanOneAMinuteIsRareNotNever) {
  Quota quota(0.5);
  EXPECT_EQ(quota.wait_seconds(1, 1000), 0);
  quota.take(1, 1000);
  EXPECT_DOUBLE_EQ(quota.wait_seconds(1, 1000), 120);
}

TEST(KeyHolder, TellsWhatIsLeftOfItsQuotas) {
  KeyRules rules{"search", ""};
  EXPECT_FALSE(KeyHolder(rules).requests(1000));
  EXPECT_FALSE(KeyHolder(rules).compute_seconds(1000));
  rules.requests_per_minute = 60;
  rules.compute_seconds_per_minute = 3;
  KeyHolder key(rules);
  const auto left = [&](double now) {
    return std::pair(key.requests(now)->left, key.compute_seconds(now)->left);
  };
  EXPECT_EQ(left(1000), std::pair(60.0, 3.0));
  key.take_request(1000);
  key.take_request(1000);
  key.spend(4, 1000);
  EXPECT_EQ(left(1000), std::pair(58.0, -1.0)) << "a debt is told";
  EXPECT_EQ(left(1001), std::pair(59.0, -0.95));
  EXPECT_EQ(key.requests(1001)->per_minute, 60);
  EXPECT_EQ(key.compute_seconds(1001)->per_minute, 3);
}

class KeyFile : public ::testing::Test {
 protected:
  // Adds a key to the file and returns it.
  std::string add(KeyRules rules) {
    const std::string key = new_key();
    rules.sha256 = sha256_hex(key);
    append_key(path_, rules);
    return key;
  }
  std::string complaint(const std::string& content) {
    write_file_atomically(path_, content);
    try {
      read_key_file(path_);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_data);
      return error.what();
    }
  }

  TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "keys.jsonl";
};

TEST_F(KeyFile, KeepsTheHashAndTheRulesAndNotTheKey) {
  KeyRules rules;
  rules.name = "search";
  rules.models = {"news"};
  rules.requests_per_minute = 600;
  const std::string key = add(rules);
  EXPECT_EQ(key.size(), 51U);
  EXPECT_NE(new_key(), key);
  EXPECT_EQ(read_file(path_, ErrorCode::bad_data).find(key), std::string::npos);
  const std::vector<KeyRules> read = read_key_file(path_);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].sha256, sha256_hex(key));
  EXPECT_EQ(read[0].models, rules.models);
  EXPECT_EQ(read[0].requests_per_minute, 600);
  EXPECT_FALSE(read[0].compute_seconds_per_minute);
  struct stat facts {};
  ASSERT_EQ(stat(path_.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600U);
  EXPECT_THROW(add(rules), Error) << "two of one name";
}

TEST_F(KeyFile, KeepsAPriorityThatIsNotTheUsualOne) {
  for (const Priority priority : {Priority::high, Priority::normal, Priority::low}) {
    KeyRules rules;
    rules.name = priority_table.name(priority);
    rules.priority = priority;
    add(rules);
    EXPECT_EQ(read_key_file(path_).back().priority, priority) << rules.name;
  }
  EXPECT_EQ(read_file(path_, ErrorCode::bad_data).find(R"("priority":"normal")"),
            std::string::npos);
}

TEST_F(KeyFile, AWrongLineIsNamed) {
  const std::string hash(64, 'a');
  EXPECT_EQ(complaint("# comment\n\n{\"name\":\"a\",\"sha256\":\"" + hash + "\"}\r\n"), "");
  EXPECT_NE(complaint("\nnonsense").find("line 2"), std::string::npos);
  EXPECT_NE(complaint(R"({"name":"a","sha256":"abc"})").find("64 hexadecimal"), std::string::npos);
  EXPECT_NE(complaint(R"({"name":"a","sha256":")" + hash + R"(","model":"x"})").find("no rule"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"name":"a","sha256":")" + hash + R"(","models":[]})").find("is empty"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"name":"a","sha256":")" + hash + R"(","models":["news@2"]})")
                .find("all versions of a model"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"name":"a","sha256":")" + hash + R"(","admin":true,"read_only":true})")
                .find("cannot go with read_only"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"name":"a","sha256":")" + hash + R"(","priority":"urgent"})")
                .find("is not one of high, normal, low"),
            std::string::npos);
  EXPECT_NE(complaint(R"({"name":"a","sha256":")" + hash + "\"}\n" + R"({"name":"b","sha256":")" +
                      hash + "\"}")
                .find("key \"a\" above it"),
            std::string::npos);
}

TEST_F(KeyFile, AKeyIsForEveryVersionOfItsModels) {
  KeyRules rules;
  rules.name = "search";
  rules.models = {"news"};
  const KeyHolder key(rules);
  EXPECT_TRUE(key.may_use("news"));
  EXPECT_TRUE(key.may_use("news@2"));
  EXPECT_FALSE(key.may_use("newsletter@2"));
  rules.models = {"news@2"};
  EXPECT_THROW(add(rules), Error) << "not written either";
}

// The API with keys of a file in front of a fake backend.
class KeyedApi : public KeyFile {
 protected:
  HttpResponse ask(const std::string& key, const std::string& model = "news",
                   const std::string& path = "/v1/classify") {
    return send({"POST", path, "Bearer " + key, "application/json", "", "10.0.0.7"},
                R"({"inputs":"a","model":")" + model + "\"}");
  }
  HttpResponse ask_with_priority(const std::string& key, const std::string& priority) {
    HttpHead head{"POST", "/v1/classify", "Bearer " + key, "application/json", "", ""};
    head.priority = priority;
    return send(std::move(head), R"({"inputs":"a"})");
  }
  HttpResponse look(const std::string& authorization, const std::string& path = "/v1/models") {
    return send({"GET", path, authorization, "", "", ""}, "");
  }
  HttpResponse send(HttpHead head, const std::string& body) {
    if (!router_) {
      ring_ = std::make_shared<KeyRing>(path_);
      router_.emplace(api_routes(backend_, {}), ring_, metrics_, [] {});
    }
    const auto answer = std::make_shared<HttpResponse>();  // which may come later, to nobody
    router_->handle({std::move(head), body, std::chrono::steady_clock::now()},
                    [answer](HttpResponse response) { *answer = std::move(response); });
    return *answer;
  }
  static std::string message(const HttpResponse& response) {
    return Json::parse(response.body)["error"].value("message", "");
  }
  static std::string code(const HttpResponse& response) {
    return Json::parse(response.body)["error"].value("code", "");
  }

  FakeBackend backend_{{"news", "mail"}};
  Metrics metrics_{{"news", "mail"}};
  std::shared_ptr<KeyRing> ring_;
  std::optional<Router> router_;
};

TEST_F(KeyedApi, OnlyKnownKeysAreAdmitted) {
  const std::string key = add({"search", ""});
  EXPECT_EQ(look("Bearer " + key).status, 200);
  EXPECT_EQ(look("bearer " + key).status, 200);
  EXPECT_EQ(message(look("")), "this server needs an API key: Authorization: Bearer KEY");
  EXPECT_EQ(message(look("Bearer wrong")), "this server does not know that API key");
  for (const std::string& wrong :
       std::vector<std::string>{"", "Bearer ", "Basic " + key, "Bearer " + key + "x", key}) {
    EXPECT_EQ(look(wrong).status, 401) << wrong;
  }
  EXPECT_EQ(look("Bearer " + sha256_hex(key)).status, 401) << "the hash is no key";
}

TEST_F(KeyedApi, AKeyIsItsOwnClientWhateverItsAddress) {
  const std::string key = add({"search", ""});
  EXPECT_EQ(ask(key).status, 200);
  EXPECT_EQ(backend_.last_call.client, "key search");
}

TEST_F(KeyedApi, AKeyForAModelIsForNoOther) {
  KeyRules rules;
  rules.name = "search";
  rules.models = {"mail"};
  const std::string key = add(rules);
  EXPECT_EQ(ask(key, "mail").status, 200);
  const HttpResponse refused = ask(key, "news");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(code(refused), "forbidden");
  EXPECT_EQ(message(refused), "key \"search\" is not for model \"news\"");
  EXPECT_EQ(look("Bearer " + key, "/v1/live?model=news").status, 403);
  EXPECT_EQ(look("Bearer " + key, "/v2/models/news").status, 403);
  EXPECT_EQ(look("Bearer " + key, "/v2/models/mail").status, 200);
  EXPECT_EQ(
      send({"POST", "/predict", "Bearer " + key, "application/json", "", ""}, R"({"inputs":"a"})")
          .status,
      200)
      << "where no model is named, one that it is for";
  EXPECT_EQ(backend_.last_call.model, "mail");
}

TEST_F(KeyedApi, AReadOnlyKeyLooksAndDoesNotAsk) {
  KeyRules rules;
  rules.name = "grafana";
  rules.read_only = true;
  const std::string key = add(rules);
  EXPECT_EQ(look("Bearer " + key).status, 200);
  EXPECT_EQ(message(ask(key)), "key \"grafana\" may look (GET), not ask: it is read-only");
  EXPECT_TRUE(
      router_->refuse_early({"POST", "/v1/classify", "Bearer " + key, "application/json", "", ""}))
      << "before the body is sent";
}

TEST_F(KeyedApi, RequestsAboveTheQuotaAreToldWhenToComeBack) {
  KeyRules rules;
  rules.name = "search";
  rules.requests_per_minute = 2;
  const std::string key = add(rules);
  const std::string other = add({"other", ""});
  EXPECT_EQ(ask(key).status, 200);
  EXPECT_EQ(ask(key).status, 200);
  const HttpResponse refused = ask(key);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(code(refused), "quota_exceeded");
  EXPECT_EQ(message(refused), "key \"search\" has used its 2 requests a minute");
  EXPECT_EQ(refused.fields.at(0).name, "Retry-After");
  EXPECT_EQ(look("Bearer " + key).status, 200) << "looking is free";
  EXPECT_EQ(ask(other).status, 200);
}

TEST_F(KeyedApi, ComputeIsPaidWithTheAnswer) {
  KeyRules rules;
  rules.name = "search";
  rules.compute_seconds_per_minute = 0.001;  // a text of 7 tokens takes 1.75 ms
  const std::string key = add(rules);
  EXPECT_EQ(ask(key).status, 200);
  EXPECT_EQ(message(ask(key)), "key \"search\" has used its 0.001 compute-seconds a minute");
}

TEST_F(KeyedApi, ARequestHasThePriorityOfItsKeyUnlessItAsksForLess) {
  for (const Priority most : {Priority::high, Priority::normal, Priority::low}) {
    KeyRules rules;
    rules.name = priority_table.name(most);
    rules.priority = most;
    const std::string key = add(rules);
    if (ring_) ring_->reload();
    EXPECT_EQ(ask(key).status, 200);
    EXPECT_EQ(backend_.last_call.priority, most) << rules.name;
    EXPECT_EQ(ask_with_priority(key, "low").status, 200);
    EXPECT_EQ(backend_.last_call.priority, Priority::low) << rules.name;
    EXPECT_EQ(ask_with_priority(key, rules.name).status, 200);
    EXPECT_EQ(backend_.last_call.priority, most) << rules.name;
  }
}

TEST_F(KeyedApi, APriorityAboveTheKeysIsForbiddenAndCostsNothing) {
  KeyRules rules;
  rules.name = "batch";
  rules.priority = Priority::low;
  rules.requests_per_minute = 1;
  const std::string key = add(rules);
  const HttpResponse refused = ask_with_priority(key, "normal");
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(message(refused), "key \"batch\" may not ask with priority normal, only up to low");
  EXPECT_EQ(ask_with_priority(key, "urgent").status, 400);
  EXPECT_EQ(ask(key).status, 200) << "its one request of this minute";
}

TEST_F(KeyedApi, AKeyIsToldWhatItMayDoAndWhatIsLeft) {
  KeyRules rules;
  rules.name = "search";
  rules.models = {"news"};
  rules.priority = Priority::high;
  rules.requests_per_minute = 2;
  rules.compute_seconds_per_minute = 0.001;  // a text of 7 tokens takes 1.75 ms
  const std::string key = add(rules);
  const auto told = [&] { return Json::parse(look("Bearer " + key, "/v1/key").body); };
  EXPECT_EQ(told(), Json({{"name", "search"},
                          {"priority", "high"},
                          {"models", {"news"}},
                          {"read_only", false},
                          {"admin", false},
                          {"requests", {{"per_minute", 2.0}, {"left", 2.0}}},
                          {"compute_seconds", {{"per_minute", 0.001}, {"left", 0.001}}}}));
  EXPECT_EQ(ask(key).status, 200);
  const Json after = told();
  EXPECT_NEAR(after["requests"]["left"].get<double>(), 1, 0.5) << "some of it comes back";
  EXPECT_LT(after["compute_seconds"]["left"].get<double>(), 0) << "paid by what is to come";
  EXPECT_EQ(look("", "/v1/key").status, 401);
}

TEST_F(KeyedApi, AKeyWithoutLimitsIsToldSo) {
  const std::string key = add({"search", ""});
  const Json told = Json::parse(look("Bearer " + key, "/v1/key").body);
  EXPECT_EQ(told["priority"], "normal");
  for (const char* limit : {"models", "requests", "compute_seconds"}) {
    EXPECT_TRUE(told.at(limit).is_null()) << limit;
  }
}

TEST_F(KeyedApi, AChangedFileCountsWhenItIsReadAgain) {
  KeyRules rules;
  rules.name = "search";
  rules.requests_per_minute = 1;
  const std::string key = add(rules);
  EXPECT_EQ(ask(key).status, 200);
  const std::string later = add({"later", ""});
  EXPECT_EQ(ask(later).status, 401);
  ring_->reload();
  EXPECT_EQ(ask(later).status, 200);
  EXPECT_EQ(ask(key).status, 429) << "what it used stays used";
  write_file_atomically(path_, "nonsense");
  EXPECT_THROW(ring_->reload(), Error);
  EXPECT_EQ(ask(later).status, 200) << "the keys that were";
  write_file_atomically(path_, "");
  ring_->reload();
  EXPECT_EQ(ask(later).status, 401);
}

TEST_F(KeyedApi, WhatIsUnderWayIsPaidAcrossAChangeOfTheFile) {
  KeyRules rules;
  rules.name = "search";
  rules.compute_seconds_per_minute = 0.001;  // a text of 7 tokens takes 1.75 ms
  const std::string key = add(rules);
  backend_.mode = FakeBackend::Mode::later;
  ask(key);
  ring_->reload();
  backend_.release_all();
  EXPECT_EQ(ask(key).status, 429);
}

TEST(KeyCharges, WhatRanOfARefusedCallIsPaid) {
  KeyRules rules{"search", ""};
  rules.compute_seconds_per_minute = 0.001;  // a text of 7 tokens takes 1.75 ms
  KeyHolder key(rules);
  CallRefused refused{Refusal::abandoned, 0, "the client went away"};
  charge(&key, small_model("news"), refused);
  EXPECT_NO_THROW(key.take_request(steady_seconds()));
  refused.ran = FakeBackend::answer(1, 1).texts;
  charge(&key, small_model("news"), refused);
  EXPECT_THROW(key.take_request(steady_seconds()), HttpError);
}

TEST(KeyCharges, WhatWasCachedCostsNothing) {
  KeyRules rules{"search", ""};
  rules.compute_seconds_per_minute = 0.001;  // a text of 7 tokens takes 1.75 ms
  KeyHolder key(rules);
  CallAnswer answer = FakeBackend::answer(1, 1);
  answer.cached = {true};
  charge(&key, small_model("news"), answer);
  EXPECT_NO_THROW(key.take_request(steady_seconds()));
  answer.cached = {};
  charge(&key, small_model("news"), answer);
  EXPECT_THROW(key.take_request(steady_seconds()), HttpError);
}

}  // namespace
}  // namespace headroom::server
