// What is seen of a server from outside: ids of requests, the log's sample, pressure, the second
// port.
#include "server/telemetry/trace.h"

#include <gtest/gtest.h>

#include "base/files/file.h"
#include "server/api/api.h"
#include "server/fake_backend.h"
#include "server/http/response_head.h"
#include "server/telemetry/logged_metrics.h"
#include "server/telemetry/pressure.h"
#include "support.h"

namespace headroom::server {
namespace {
using namespace testing;

const std::string trace_id = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string traceparent = "00-" + trace_id + "-00f067aa0ba902b7-01";

TEST(Trace, GoesOnWhereTheClientBegan) {
  const Trace trace = continue_trace(traceparent, "order-17");
  EXPECT_EQ(trace.id, trace_id);
  EXPECT_EQ(trace.flags, "01");
  EXPECT_NE(trace.span, "00f067aa0ba902b7") << "a part of our own";
  EXPECT_EQ(trace.request_id, "order-17");
  EXPECT_EQ(trace.traceparent(), "00-" + trace_id + "-" + trace.span + "-01");
  EXPECT_EQ(continue_trace("cc-" + traceparent.substr(3) + "-later", "").id, trace_id)
      << "a later version may say more";
}

TEST(Trace, BeginsWhereTheClientSentNoneOrADamagedOne) {
  for (const std::string& damaged :
       {std::string(), std::string("00"), "ff" + traceparent.substr(2), traceparent + "-more",
        "00-" + std::string(32, '0') + traceparent.substr(35),
        traceparent.substr(0, 36) + std::string(16, '0') + "-01",
        "00-" + std::string(32, 'X') + traceparent.substr(35)}) {
    const Trace trace = continue_trace(damaged, "");
    EXPECT_EQ(trace.id.size(), 32U) << damaged;
    EXPECT_NE(trace.id, trace_id) << damaged;
    EXPECT_EQ(trace.request_id, trace.id);
    EXPECT_EQ(continue_trace(trace.traceparent(), "").id, trace.id) << "what we send is whole";
  }
  EXPECT_NE(continue_trace("", "").id, continue_trace("", "").id);
}

TEST(Trace, RequestIdsThatDoNotFitIntoAFieldAreReplaced) {
  for (const std::string& bad :
       {std::string("a b"), std::string("a\x7f"), std::string("\xc3\xbc"), std::string(129, 'a')}) {
    EXPECT_NE(continue_trace("", bad).request_id, bad);
  }
}

TEST(Trace, TheSameTracesAreSampledEverywhere) {
  const std::string zeros(24, '0');
  EXPECT_TRUE(is_sampled(zeros + "00000000", 0.01));
  EXPECT_TRUE(is_sampled(zeros + "028f5c28", 0.01));
  EXPECT_FALSE(is_sampled(zeros + "028f5c2a", 0.01));
  EXPECT_TRUE(is_sampled(zeros + "ffffffff", 1));
}

TEST(Pressure, IsTheShareThatWasGivenUpLately) {
  Pressure pressure;
  EXPECT_EQ(pressure.ratio(1000), 0);
  pressure.add(0.5, 3, 1000);
  pressure.add(1, 1, 1000);
  EXPECT_DOUBLE_EQ(pressure.ratio(1000), 2.5 / 4);
  EXPECT_LT(pressure.ratio(1060), 0.01) << "nobody asked for a minute";
  pressure.add(0, 4, 1100);
  EXPECT_LT(pressure.ratio(1100), 0.001);
}

TEST(Pressure, IsAMetricOfEveryModel) {
  Metrics metrics({"news"});
  EXPECT_NE(metrics.text().find("headroom_pressure_ratio{model=\"news\"} 0\n"), std::string::npos);
  metrics.call_refused("news", {Refusal::overloaded, 1, ""}, 1);
  const std::string text = metrics.text();
  const size_t found = text.find("headroom_pressure_ratio{model=\"news\"} ");
  ASSERT_NE(found, std::string::npos);
  EXPECT_GT(std::stod(text.substr(text.find(' ', found))), 0.5);
}

double pressure_of(const Metrics& metrics) {
  const std::string text = metrics.text();
  const size_t found = text.find("headroom_pressure_ratio{model=\"news\"} ");
  return std::stod(text.substr(text.find(' ', found)));
}

TEST(Pressure, CountsThoseWhoNamedABudgetToo) {
  Metrics metrics({"news"});
  for (int i = 0; i < 39; ++i) metrics.batch_run("news", {1, 7, 1, 2, 2});
  metrics.call_refused("news", {Refusal::overloaded, 1, ""}, 1);
  EXPECT_LT(pressure_of(metrics), 0.03);
}

TEST(Pressure, CountsARefusalByItsTexts) {
  Metrics metrics({"news"});
  metrics.cache_asked("news", 20, 0);
  metrics.call_refused("news", {Refusal::overloaded, 1, ""}, 60);
  EXPECT_GT(pressure_of(metrics), 0.5) << "60 of 80, and one of 21 were it by calls";
}

class SeenApi : public ::testing::Test {
 protected:
  HttpResponse ask(const std::string& parent, const std::string& id,
                   const std::string& body = R"({"inputs":"a"})") {
    HttpHead head{"POST", "/v1/classify?secret=1", "", "application/json", "", ""};
    head.traceparent = parent;
    head.request_id = id;
    HttpResponse answer;
    router_->handle({head, body, std::chrono::steady_clock::now()},
                    [&](HttpResponse response) { answer = std::move(response); });
    return answer;
  }
  // The log's lines of requests, with this share of them logged.
  std::vector<Json> logged(double share, const std::function<void()>& ask_all) {
    const std::filesystem::path path = folder_.path() / "log";
    const std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path.c_str(), "w"), &std::fclose);
    {
      ServerLog log(fileno(file.get()), /*json=*/true);
      LoggedMetrics metrics({"news"}, log, share);
      router_.emplace(api_routes(backend_, {}), "", metrics, [] {});
      ask_all();
      router_.reset();
    }
    std::vector<Json> lines;
    std::istringstream content(read_file(path, ErrorCode::bad_data));
    for (std::string line; std::getline(content, line);) lines.push_back(Json::parse(line));
    return lines;
  }

  TemporaryFolder folder_;
  FakeBackend backend_;
  std::optional<Router> router_;
};

TEST_F(SeenApi, ResponsesAndTheLogCarryTheIds) {
  HttpResponse response;
  const auto lines = logged(1, [&] { response = ask(traceparent, "order-17"); });
  const std::string head = response_head(response, true);
  EXPECT_NE(head.find("X-Request-Id: order-17\r\n"), std::string::npos) << head;
  EXPECT_NE(head.find("traceparent: 00-" + trace_id), std::string::npos) << head;
  EXPECT_NE(head.find("Server-Timing: queue;dur=0.500, inference;dur=1.500\r\n"), std::string::npos)
      << head;
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["request_id"], "order-17");
  EXPECT_EQ(lines[0]["trace_id"], trace_id);
  EXPECT_EQ(lines[0]["model"], "news");
  EXPECT_EQ(lines[0]["inference_ms"], 1.5);
  EXPECT_EQ(lines[0]["target"], "/v1/classify");
}

TEST_F(SeenApi, TheLogHasTheSpanAndWhatItSpent) {
  HttpResponse response;
  const auto lines = logged(1, [&] {
    response = ask(traceparent, "");
    ask("", "");
  });
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["span_id"], response.traceparent.substr(36, 16));
  EXPECT_EQ(lines[0]["parent_span_id"], "00f067aa0ba902b7");
  const std::string start = lines[0]["start"];
  EXPECT_EQ(start.size(), std::string("2026-11-15T10:00:00.123Z").size()) << start;
  EXPECT_EQ(lines[0]["predicted_ms"], 2.5);
  EXPECT_EQ(lines[0]["budget"], 1);
  EXPECT_FALSE(lines[1].contains("parent_span_id")) << "its trace begins here";
}

TEST_F(SeenApi, WhatIsRefusedBeforeItsBodyHasTheIdsToo) {
  const auto lines = logged(1, [&] {
    HttpHead head{"POST", "/nowhere", "", "application/json", "", ""};
    head.traceparent = traceparent;
    head.request_id = "order-17";
    const auto refused = router_->refuse_early(head);
    ASSERT_TRUE(refused);
    EXPECT_EQ(refused->request_id, "order-17");
    EXPECT_EQ(refused->traceparent.substr(3, 32), trace_id);
  });
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["method"], "POST");
  EXPECT_EQ(lines[0]["status"], 404);
  EXPECT_EQ(lines[0]["request_id"], "order-17");
}

TEST_F(SeenApi, ErrorsCarryTheIdsToo) {
  logged(0, [&] {
    const HttpResponse response = ask(traceparent, "order-17", "no JSON");
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(response.request_id, "order-17");
  });
}

TEST_F(SeenApi, ASampleHasEveryRefusal) {
  const auto lines = logged(1e-12, [&] {
    ask(traceparent, "");  // not in the sample
    ask(traceparent, "", "no JSON");
    backend_.refusal = CallRefused{Refusal::overloaded, 1, "busy"};
    ask(traceparent, "refused");
  });
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["status"], 429);
  EXPECT_EQ(lines[0]["request_id"], "refused");
  EXPECT_TRUE(logged(0, [&] { ask(traceparent, ""); }).empty());
}

TEST(AdminRoutes, AreHealthAndMetricsWithoutAKey) {
  FakeBackend backend;
  ServerFacts facts;
  facts.metrics_text = [] { return "counted"; };
  Metrics metrics({"news"});
  Router router(admin_routes(backend, facts), "", metrics, [] {});
  EXPECT_EQ(router.names(), (std::vector<std::string>{"GET /metrics", "GET /v2/health/live",
                                                      "GET /v2/health/ready", "GET /health"}));
  Router keyed(admin_routes(backend, facts), "secret", metrics, [] {});
  for (const char* path : {"/metrics", "/health", "/v2/health/ready"}) {
    keyed.handle({{"GET", path, "", "", "", ""}, "", std::chrono::steady_clock::now()},
                 [&](const HttpResponse& response) { EXPECT_EQ(response.status, 200) << path; });
  }
}

}  // namespace
}  // namespace headroom::server
