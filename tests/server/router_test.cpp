// Paths, methods, keys and errors, without sockets.
#include "server/api/router.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <utility>

#include "base/error.h"

namespace headroom::server {
namespace {

struct Seen : RequestObserver {
  void request_done(const HttpHead&, const HttpResponse& response, double) noexcept override {
    const std::lock_guard lock(mutex);
    statuses.push_back(response.status);
  }
  void request_failed(const std::string& why) noexcept override { failures.push_back(why); }

  std::mutex mutex;
  std::vector<int> statuses;
  std::vector<std::string> failures;
};

Route answering(const std::string& method, const std::string& path) {
  return {method, path, true, [](const ApiRequest& request, const Reply& reply) {
            HttpResponse response;
            response.body = request.model;
            reply(std::move(response));
            return Abandon();
          }};
}

class Routes : public ::testing::Test {
 protected:
  HttpResponse ask(const std::string& method, const std::string& target, HttpHead head = {}) {
    head.method = method;
    head.target = target;
    HttpResponse answer;
    router_.handle({std::move(head), "", std::chrono::steady_clock::now()},
                   [&](HttpResponse response) { answer = std::move(response); });
    return answer;
  }

  Seen seen_;
  Router router_{
      {answering("GET", "/a/{model}"), answering("POST", "/a/{model}"),
       immediate("/fails",
                 [](const ApiRequest&) -> HttpResponse {
                   throw Error(ErrorCode::runtime, "read /etc/secret", "disk on fire");
                 }),
       immediate("/priority",
                 [](const ApiRequest& request) {
                   HttpResponse response;
                   response.body = priority_table.name(request.priority);
                   return response;
                 }),
       immediate("/exhausts", [](const ApiRequest&) -> HttpResponse { throw std::bad_alloc(); }),
       immediate("/refuses",
                 [](const ApiRequest&) -> HttpResponse {
                   throw Error(ErrorCode::usage, "choose budget", "0.3 is not there");
                 })},
      "",
      seen_,
      [] {}};
};

TEST_F(Routes, FindsAPathWithItsParameter) {
  EXPECT_EQ(ask("GET", "/a/news").body, "news");
  EXPECT_EQ(ask("GET", "/a/my%20model?x=1").body, "my model");
  EXPECT_EQ(ask("GET", "http://host:80/a/news").body, "news");
  EXPECT_EQ(ask("GET", "/a").status, 404);
  EXPECT_EQ(ask("GET", "/a/").status, 404);
  EXPECT_EQ(ask("GET", "/a/b/c").status, 404);
}

TEST_F(Routes, AWrongMethodIsToldTheRightOnes) {
  const HttpResponse response = ask("PUT", "/a/news");
  EXPECT_EQ(response.status, 405);
  ASSERT_EQ(response.fields.size(), 2U);
  EXPECT_EQ(response.fields[0].value, "GET, HEAD, POST, OPTIONS");
}

TEST_F(Routes, ARequestWithoutMemoryIsToldToComeBack) {
  EXPECT_EQ(ask("GET", "/exhausts").status, 503);
  EXPECT_TRUE(seen_.failures.empty());
}

TEST_F(Routes, TakesOnlyWhatSaysThatItIsJson) {
  for (const char* type : {"application/json", "application/json; charset=utf-8",
                           "Application/JSON;charset=\"UTF-8\""}) {
    EXPECT_EQ(ask("POST", "/a/b", {"", "", "", type, "", ""}).status, 200) << type;
  }
  const std::string json = "application/json";
  EXPECT_EQ(ask("POST", "/a/b", {"", "", "", json, "identity", ""}).status, 200);
  EXPECT_EQ(ask("POST", "/a/b", {"", "", "", json, "br", ""}).status, 415);
  EXPECT_EQ(ask("POST", "/a/b").status, 415);  // as a browser posts a blob for any page
}

TEST_F(Routes, WithoutKeysNobodyIsAboveTheOthers) {
  const auto with = [&](const std::string& priority) {
    HttpHead head;
    head.priority = priority;
    return ask("GET", "/priority", std::move(head));
  };
  EXPECT_EQ(with("").body, "normal");
  EXPECT_EQ(with("normal").body, "normal");
  EXPECT_EQ(with("low").body, "low");
  const HttpResponse refused = with("high");
  EXPECT_EQ(refused.status, 403);
  EXPECT_NE(refused.body.find("this server has no file of keys"), std::string::npos);
  for (const char* unknown : {"urgent", "High", "1", " low"}) {
    const HttpResponse told = with(unknown);
    EXPECT_EQ(told.status, 400) << unknown;
    EXPECT_NE(told.body.find("x-headroom-priority is not one of high, normal, low"),
              std::string::npos);
  }
}

TEST_F(Routes, OurFaultsAreLoggedAndNotTold) {
  const HttpResponse response = ask("GET", "/fails");
  EXPECT_EQ(response.status, 500);
  EXPECT_EQ(response.body.find("fire"), std::string::npos) << response.body;
  ASSERT_EQ(seen_.failures.size(), 1U);
  EXPECT_NE(seen_.failures[0].find("disk on fire"), std::string::npos);
}

TEST_F(Routes, TheirFaultsAreTold) {
  const HttpResponse response = ask("GET", "/refuses");
  EXPECT_EQ(response.status, 422);
  EXPECT_NE(response.body.find("0.3 is not there"), std::string::npos);
}

TEST_F(Routes, EveryResponseIsSeenOnce) {
  ask("GET", "/a/b");
  ask("GET", "/nowhere");
  router_.refuse({"GET", "/a", "", "", "", ""}, HttpError(HttpErrorCode::request_timeout, "slow"));
  EXPECT_EQ(seen_.statuses, (std::vector<int>{200, 404, 408}));
}

TEST_F(Routes, OtherRoutesAreForThoseWhoComeLater) {
  Reply waiting;
  const auto in_use = std::make_shared<int>();
  router_.replace({{"GET", "/later", true,
                    [&](const ApiRequest&, const Reply& reply) {
                      waiting = reply;
                      return Abandon();
                    }}},
                  in_use);
  EXPECT_EQ(ask("GET", "/a/news").status, 404);
  int answered = 0;
  router_.handle({{"GET", "/later", "", "", "", ""}, "", std::chrono::steady_clock::now()},
                 [&](const HttpResponse&) { ++answered; });
  router_.replace({answering("GET", "/a/{model}")}, nullptr);
  EXPECT_EQ(ask("GET", "/a/news").status, 200);
  EXPECT_EQ(in_use.use_count(), 2) << "a request that is not answered keeps it";
  waiting({});
  EXPECT_EQ(answered, 1);
  waiting = nullptr;
  EXPECT_EQ(in_use.use_count(), 1);
}

// A router whose requests to /work wait in a pool of two threads until they are let go.
class PooledRoutes : public ::testing::Test {
 protected:
  ~PooledRoutes() override { let_go(); }

  // Its status, once there is one.
  std::future<int> ask(const std::string& target, const std::string& client,
                       Abandon* abandon = nullptr) {
    HttpHead head;
    head.method = "GET";
    head.target = target;
    head.client = client;
    const auto status = std::make_shared<std::promise<int>>();
    const Abandon leave = router_.handle(
        {std::move(head), "", std::chrono::steady_clock::now()},
        [status](const HttpResponse& response) { status->set_value(response.status); });
    if (abandon != nullptr) *abandon = leave;
    return status->get_future();
  }
  void let_go() {
    if (!std::exchange(gone_, true)) gate_.set_value();
  }
  void wait_for_begun(int count) {
    while (begun_ < count) begun_.wait(begun_.load());
  }

  static Route quick_route() {
    Route route = immediate("/quick", [](const ApiRequest&) { return HttpResponse(); });
    route.quick = true;
    return route;
  }
  Route working_route() {
    return immediate("/work", [this](const ApiRequest&) {
      ++begun_;
      begun_.notify_all();
      open_.wait();
      return HttpResponse();
    });
  }

  Seen seen_;
  std::promise<void> gate_;
  std::shared_future<void> open_ = gate_.get_future().share();
  bool gone_ = false;
  std::atomic<int> begun_ = 0;
  Router router_{{working_route(), quick_route()},
                 "",
                 seen_,
                 [] {},
                 std::make_unique<RequestPool>(RequestPoolSettings{.threads = 2, .limit = 1})};
};

bool is_ready(const std::future<int>& status) {
  return status.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

TEST_F(PooledRoutes, QuickOnesAreAnsweredWhileEveryThreadIsBusy) {
  std::future<int> first = ask("/work", "a");
  wait_for_begun(1);
  std::future<int> second = ask("/work", "b");
  wait_for_begun(2);
  std::future<int> quick = ask("/quick", "a");
  ASSERT_TRUE(is_ready(quick)) << "before handle() returned";
  EXPECT_EQ(quick.get(), 200);
  EXPECT_FALSE(is_ready(first));
  let_go();
  EXPECT_EQ(first.get(), 200);
  EXPECT_EQ(second.get(), 200);
}

TEST_F(PooledRoutes, WhoLeavesBeforeItsTurnIsNotHandled) {
  std::future<int> first = ask("/work", "a");
  wait_for_begun(1);
  Abandon leave;
  std::future<int> second = ask("/work", "a", &leave);
  leave();
  let_go();
  EXPECT_EQ(first.get(), 200);
  EXPECT_EQ(second.get(), 499);
  EXPECT_EQ(begun_, 1);
}

TEST_F(PooledRoutes, WhenTooManyWaitTheyAreToldAtOnce) {
  std::future<int> first = ask("/work", "a");
  wait_for_begun(1);
  std::future<int> second = ask("/work", "a");
  std::future<int> third = ask("/work", "a");
  ASSERT_TRUE(is_ready(third));
  EXPECT_EQ(third.get(), 429);
  let_go();
  EXPECT_EQ(second.get(), 200);
}

TEST(Url, IsTakenApart) {
  const Url url = parse_url("/v1/pl%61n?model=my+model&budget=0.5&empty&=x");
  EXPECT_EQ(url.segments, (std::vector<std::string>{"v1", "plan"}));
  EXPECT_EQ(url.query.at("model"), "my model");
  EXPECT_EQ(url.query.at("budget"), "0.5");
  EXPECT_EQ(url.query.at("empty"), "");
  EXPECT_TRUE(parse_url("/").segments.empty());
}

TEST(Url, DamagedSequencesAreRefused) {
  for (const char* bad : {"/%", "/%1", "/%g0", "/%00", "/?a=%"}) {
    EXPECT_THROW(parse_url(bad), HttpError) << bad;
  }
}

bool admits(const KeyRing& keys, const std::string& authorization) {
  try {
    keys.admit(authorization);
    return true;
  } catch (const HttpError& error) {
    EXPECT_EQ(error.code(), HttpErrorCode::unauthorized);
    return false;
  }
}

TEST(ApiKeys, OnlyTheExactKeyIsAdmitted) {
  const KeyRing key(std::string("secret"));
  EXPECT_TRUE(admits(key, "Bearer secret"));
  EXPECT_TRUE(admits(key, "bearer secret")) << "schemes have no case";
  for (const char* wrong : {"", "secret", "Bearer", "Bearer ", "Bearer secre", "Bearer secret ",
                            "Bearer secretsecret", "Bearer Secret", "Basic secret"}) {
    EXPECT_FALSE(admits(key, wrong)) << wrong;
  }
}

TEST(ApiKeys, WithoutAKeyEverybodyIsAdmitted) {
  EXPECT_TRUE(admits(KeyRing(std::string()), ""));
}

TEST(ErrorResponses, LongMessagesAreCutBetweenCharacters) {
  std::string message;
  for (int i = 0; i < 500; ++i) message += "é";
  const HttpResponse response =
      error_response(HttpError(HttpErrorCode::bad_request, message), ErrorShape::plain);
  EXPECT_LT(response.body.size(), 600U);
  EXPECT_EQ(response.body.find("\xEF\xBF\xBD"), std::string::npos) << "no half characters";
}

}  // namespace
}  // namespace headroom::server
