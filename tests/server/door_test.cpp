// How the door behaves with clients that are slow, many, in a hurry or gone.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "server/door.h"
#include "server/http/host.h"
#include "server/raw_client.h"

namespace headroom::server {
namespace {
using namespace testing;
using std::chrono::milliseconds;

const std::string json_post =
    "POST /v1/classify HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\n";
const std::string question = post("/v1/classify", R"({"inputs":"x"})");

// A client that has sent `bytes`, the first request of which the backend holds until released.
std::unique_ptr<RawClient> waiting_client(Door& door, const std::string& bytes = question) {
  door.backend.mode = FakeBackend::Mode::later;
  auto client = std::make_unique<RawClient>(door.port);
  client->send(bytes);
  EXPECT_TRUE(door.backend.wait_for_calls(1));
  return client;
}

TEST(Door, AnswersOneRequestAfterTheOtherOnOneConnection) {
  Door door;
  RawClient client(door.port);
  for (int i = 0; i < 3; ++i) {
    const RawResponse response = client.exchange(question);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.fields.at("connection"), "keep-alive");
    EXPECT_EQ(response.json()["answers"][0]["label"], "sport");
  }
}

TEST(Door, ReadsThePriorityFromTheHeader) {
  Door door;
  RawClient client(door.port);
  const auto ask = [&](const std::string& priority) {
    return client.exchange(
        post("/v1/classify", R"({"inputs":"x"})", "X-Headroom-Priority: " + priority + "\r\n"));
  };
  EXPECT_EQ(ask("low").status, 200);
  EXPECT_EQ(door.backend.last_call.priority, Priority::low);
  EXPECT_EQ(ask("high").error_code(), "forbidden");
  EXPECT_EQ(ask("urgent").error_code(), "bad_request");
}

TEST(Door, AnswersPipelinedRequestsInOrder) {
  Door door;
  const auto client = waiting_client(door, question + get("/v2/health/live") + get("/v1/nowhere"));
  door.backend.release_all();
  EXPECT_TRUE(client->receive().json().contains("answers"));
  EXPECT_TRUE(client->receive().json().contains("live"));
  EXPECT_EQ(client->receive().status, 404);
}

TEST(Door, TakesARequestByteByByte) {
  Door door;
  RawClient client(door.port);
  for (const char byte : question) ASSERT_TRUE(client.send({&byte, 1}));
  EXPECT_EQ(client.receive().status, 200);
}

TEST(Door, TakesAChunkedBodyWithExtensionsAndTrailers) {
  Door door;
  RawClient client(door.port);
  const RawResponse response = client.exchange(
      json_post +
      "Transfer-Encoding: chunked\r\n\r\n"
      "4;name=value\r\n{\"in\r\nb\r\nputs\":\"abc\"\r\n1\r\n}\r\n0\r\nX-Trailer: y\r\n\r\n");
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(door.backend.last_texts.at(0), "abc");
}

TEST(Door, InvitesABodyThatWaitsForIt) {
  Door door;
  RawClient client(door.port);
  const std::string body = R"({"inputs":"x"})";
  const RawResponse invited = client.exchange(
      json_post + "Expect: 100-continue\r\nContent-Length: " + std::to_string(body.size()) +
      "\r\n\r\n");
  EXPECT_EQ(invited.status, 100);
  EXPECT_EQ(client.exchange(body).status, 200);
}

TEST(Door, DoesNotInviteABodyThatItWouldRefuse) {
  Door door;
  RawClient client(door.port);
  const RawResponse response = client.exchange(
      "POST /v1/nowhere HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n");
  EXPECT_EQ(response.status, 404);
  EXPECT_EQ(response.fields.at("connection"), "close");
}

TEST(Door, AnswersHeadWithTheLengthAlone) {
  Door door;
  RawClient client(door.port);
  const RawResponse head =
      client.exchange("HEAD /v1/models HTTP/1.1\r\nHost: t\r\n\r\n", /*head_only=*/true);
  const RawResponse whole = client.exchange(get("/v1/models"));
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.fields.at("content-length"), std::to_string(whole.body.size()));
}

TEST(Door, AnswersOptionsWithTheMethods) {
  Door door;
  RawClient client(door.port);
  const RawResponse response = client.exchange("OPTIONS /v1/classify HTTP/1.1\r\nHost: t\r\n\r\n");
  EXPECT_EQ(response.status, 204);
  EXPECT_EQ(response.fields.at("allow"), "POST, OPTIONS");
}

TEST(Door, ClosesAfterTheAnswerWhenAskedTo) {
  Door door;
  RawClient closing(door.port);
  EXPECT_EQ(closing.exchange(get("/v2/health/live", "Connection: close\r\n")).status, 200);
  EXPECT_TRUE(closing.closed_silently());
  RawClient old(door.port);
  EXPECT_EQ(old.exchange("GET /v2/health/live HTTP/1.0\r\n\r\n").status, 200);
  EXPECT_TRUE(old.closed_silently());
}

TEST(Door, NoticesAClientThatLeavesWhileItsCallWaits) {
  Door door;
  waiting_client(door)->close();
  EXPECT_TRUE(door.backend.wait_for_abandoned(1));
}

TEST(Door, NoticesItAlsoBehindPipelinedRequests) {
  Door door;
  waiting_client(door, question + question + question)->close();
  EXPECT_TRUE(door.backend.wait_for_abandoned(1));
}

TEST(Door, AnAnswerThatComesAfterTheClientLeftIsDropped) {
  Door door;
  waiting_client(door)->close();
  ASSERT_TRUE(door.backend.wait_for_abandoned(1));
  door.backend.release_all();
  EXPECT_EQ(RawClient(door.port).exchange(get("/v2/health/live")).status, 200);
}

TEST(Door, ClosesConnectionsThatSayNothing) {
  DoorSettings settings;
  settings.limits.idle = milliseconds(50);
  Door door(settings);
  RawClient silent(door.port);
  EXPECT_TRUE(silent.closed_silently());
  RawClient polite(door.port);
  EXPECT_EQ(polite.exchange(get("/v2/health/live")).status, 200);
  EXPECT_TRUE(polite.closed_silently());
}

TEST(Door, ACallMayTakeLongerThanAConnectionMayBeIdle) {
  DoorSettings settings;
  settings.limits.idle = milliseconds(50);
  settings.limits.read = milliseconds(50);
  Door door(settings);
  const auto waiting = waiting_client(door);
  EXPECT_TRUE(RawClient(door.port).closed_silently()) << "an idle one is closed meanwhile";
  door.backend.release_all();
  EXPECT_EQ(waiting->receive().status, 200);
}

TEST(Door, GivesUpOnAClientThatDoesNotReadItsAnswers) {
  DoorSettings settings;
  settings.limits.write = milliseconds(100);
  Door door(settings);
  RawClient client(door.port, /*receive_buffer=*/4096);
  std::string many;
  for (int i = 0; i < 2000; ++i) many += get("/");
  client.send(many);
  EXPECT_TRUE(client.wait_for_reset());
  EXPECT_EQ(RawClient(door.port).exchange(get("/v2/health/live")).status, 200);
}

TEST(Door, TellsConnectionsOverTheLimitThatThereIsNoRoom) {
  DoorSettings settings;
  settings.limits.connections = 1;
  Door door(settings);
  const auto first = waiting_client(door);
  RawClient second(door.port);
  const RawResponse refused = second.exchange(question);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.error_code(), "overloaded");
  EXPECT_EQ(refused.fields.at("retry-after"), "1");
  door.backend.release_all();
  EXPECT_EQ(first->receive().status, 200) << "the first one stays";
}

TEST(Door, AnswersProbesWhenThereIsNoRoomForAnythingElse) {
  DoorSettings settings;
  settings.limits.connections = 1;
  Door door(settings);
  const auto first = waiting_client(door);
  std::vector<std::unique_ptr<RawClient>> silent;  // who take what is kept for probes
  for (int i = 0; i < 70; ++i) silent.push_back(std::make_unique<RawClient>(door.port));
  for (const char* path : {"/v2/health/live", "/health"}) {
    RawClient probe(door.port);
    EXPECT_EQ(probe.exchange(get(path)).status, 200);
    EXPECT_TRUE(probe.closed_silently());
  }
  door.backend.release_all();
  EXPECT_EQ(first->receive().status, 200);
}

TEST(Door, WhoKeepsAFullServerWaitingMakesRoom) {
  DoorSettings settings;
  settings.limits.connections = 2;
  Door door(settings);
  RawClient idle(door.port);
  ASSERT_EQ(idle.exchange(get("/v2/health/live")).status, 200);
  RawClient slow(door.port);
  slow.send("GET /v2/health/live HTTP/1.1\r\nHo");
  RawClient third(door.port);
  EXPECT_EQ(third.exchange(question).status, 200);
  EXPECT_TRUE(idle.closed_silently()) << "it waited longest";
  RawClient fourth(door.port);
  EXPECT_EQ(fourth.exchange(question).status, 200);
  EXPECT_TRUE(slow.closed_silently());
  EXPECT_EQ(third.exchange(question).status, 200);
}

// With the next descriptor for the client there is none left to accept it with.
TEST(Door, TurnsClientsAwayWhenThereAreNoDescriptors) {
  Door door;
  const auto busy = waiting_client(door);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  const int next = dup(0);
  close(next);
  const rlimit lowered{static_cast<rlim_t>(next) + 1, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &lowered), 0);
  EXPECT_TRUE(RawClient(door.port).closed_silently()) << "it does not hang";
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
  door.backend.release_all();
  EXPECT_EQ(busy->receive().status, 200);
  EXPECT_EQ(RawClient(door.port).exchange(get("/v2/health/live")).status, 200);
}

TEST(Door, SpeaksKServesErrorsAlsoWhenTheHeaderIsTooLarge) {
  Door door;
  const std::string filler = "X: " + std::string(20'000, 'x') + "\r\n";
  EXPECT_TRUE(RawClient(door.port).exchange(get("/v2", filler)).json()["error"].is_string());
  EXPECT_TRUE(RawClient(door.port).exchange(get("/v1/models", filler)).json()["error"].is_object());
}

TEST(Door, SkipsEmptyLinesBeforeARequest) {
  Door door;
  RawClient client(door.port);
  EXPECT_EQ(client.exchange("\r\n" + question).status, 200);
  EXPECT_EQ(client.exchange("\r\n\r\n" + question).status, 200);
  client.send("\r");
  EXPECT_EQ(client.exchange("\n" + question).status, 200);
}

TEST(Door, SendsNoInvitationToClientsThatDoNotKnowIt) {
  Door door;
  RawClient client(door.port);
  const std::string body = R"({"inputs":"x"})";
  const RawResponse response = client.exchange(
      "POST /v1/classify HTTP/1.0\r\nContent-Type: application/json\r\nExpect: "
      "100-continue\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body);
  EXPECT_EQ(response.status, 200);
}

TEST(Door, IsCalledByItsOwnNamesOnly) {
  DoorSettings settings;
  settings.limits.allowed_hosts = allowed_hosts("127.0.0.1", {"News.example"});
  Door door(settings);
  const auto status = [&](const std::string& target, const std::string& host) {
    return RawClient(door.port)
        .exchange("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
        .status;
  };
  for (const char* own : {"localhost", "LOCALHOST:8080", "127.0.0.1:80", "[::1]:1", "[::1]",
                          "news.example.", "news.example:443"}) {
    EXPECT_EQ(status("/v2/health/live", own), 200) << own;
  }
  for (const char* other : {"rebound.example", "localhost.evil.example", "[::1", ":80", "1.2.3.4",
                            "xlocalhost", "127.0.0.1.nip.io"}) {
    EXPECT_EQ(status("/v2/health/live", other), 421) << other;
  }
  EXPECT_EQ(status("http://localhost/v2/health/live", "localhost"), 200);
  EXPECT_EQ(status("http://rebound.example/v2/health/live", "localhost"), 421);
}

TEST(Door, WithoutTheKeyOnlyThePageAndHealthAreShown) {
  DoorSettings settings;
  settings.api_key = "secret";
  Door door(settings);
  RawClient client(door.port);
  for (const char* open : {"/", "/v2/health/live", "/v2/health/ready"}) {
    EXPECT_EQ(client.exchange(get(open)).status, 200) << open;
  }
  for (const char* closed : {"/v1/models", "/metrics", "/info", "/docs/openapi.json", "/v2",
                             "/v2/models/news", "/nowhere"}) {
    const RawResponse response = client.exchange(get(closed));
    EXPECT_EQ(response.status, 401) << closed;
    EXPECT_EQ(response.fields.at("www-authenticate"), "Bearer");
    EXPECT_NE(client.exchange(get(closed, "Authorization: Bearer secret\r\n")).status, 401);
  }
  EXPECT_EQ(client.exchange(question).status, 401);
}

TEST(Door, DrainsWhatIsUnderWayAndLetsNobodyIn) {
  Door door;
  RawClient idle(door.port);
  ASSERT_EQ(idle.exchange(get("/v2/health/ready")).status, 200);
  const auto waiting = waiting_client(door);
  door.request_stop();
  ASSERT_TRUE(door.backend.wait_for_drain());
  EXPECT_TRUE(idle.closed_silently());
  door.backend.release_all();
  const RawResponse response = waiting->receive();
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.fields.at("connection"), "close");
  waiting->close();
  EXPECT_EQ(door.stop().cut, 0);
}

TEST(Door, CutsWhatTakesLongerThanTheDrain) {
  DoorSettings settings;
  settings.drain = milliseconds(50);
  Door door(settings);
  const auto waiting = waiting_client(door);
  EXPECT_EQ(door.stop().cut, 1);
  EXPECT_TRUE(waiting->closed_silently());
  EXPECT_TRUE(door.backend.wait_for_abandoned(1));
}

TEST(Door, AnAnswerThatComesAfterTheServerStoppedIsDropped) {
  DoorSettings settings;
  settings.drain = milliseconds(0);
  Door door(settings);
  const auto waiting = waiting_client(door);
  door.stop();
  door.backend.release_all();
  EXPECT_TRUE(waiting->closed_silently());
}

TEST(Door, APortThatIsTakenIsARunTimeError) {
  Door door;
  FakeBackend backend;
  ServerLog log(STDERR_FILENO, false);
  Metrics metrics({"news"});
  Router router({}, "", metrics, [] {});
  try {
    HttpServer second(router, {}, "127.0.0.1", door.port, log);
    FAIL() << "two servers on one port";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::runtime);
    EXPECT_NE(error.message().find("in use"), std::string::npos) << error.message();
  }
}

TEST(Door, RequestsThatTogetherTakeTooMuchMemoryAreToldToComeBack) {
  DoorSettings settings;
  settings.limits.held_bytes = 1000;
  settings.limits.small_body_bytes = 0;
  Door door(settings);
  const std::string large = R"({"inputs":")" + std::string(600, 'x') + "\"}";
  const std::string request = post("/v1/classify", large);
  const auto first = waiting_client(door, request);
  RawClient second(door.port);
  const RawResponse refused = second.exchange(request);
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.fields.at("retry-after"), "1");
  door.backend.release_all();
  EXPECT_EQ(first->receive().status, 200);
  door.backend.mode = FakeBackend::Mode::at_once;
  EXPECT_EQ(first->exchange(request).status, 200) << "what is answered is let go";
}

TEST(Door, SmallRequestsGetInBesideManyHalfSentLargeOnes) {
  DoorSettings settings;
  settings.limits.held_bytes = 100'000;
  Door door(settings);
  const std::string announcement =
      json_post + "Expect: 100-continue\r\nContent-Length: 110000\r\n\r\n";
  RawClient half_sent(door.port);
  EXPECT_EQ(half_sent.exchange(announcement).status, 100);
  half_sent.send("{");
  EXPECT_EQ(RawClient(door.port).exchange(announcement).status, 429);
  EXPECT_EQ(RawClient(door.port).exchange(question).status, 200);
  half_sent.close();
  const std::string large = R"({"inputs":")" + std::string(110'000, 'x') + "\"}";
  int status = 429;
  for (int tries = 0; tries < 10'000 && status == 429; ++tries) {  // until the server notices
    status = RawClient(door.port).exchange(post("/v1/classify", large)).status;
  }
  EXPECT_EQ(status, 200) << "what a client that left had announced is free again";
}

TEST(Door, EveryRefusalHasTheIdsOfItsRequest) {
  DoorSettings settings;
  settings.limits.body_bytes = 50'000;
  settings.api_key = "secret";
  const Door door(settings);
  const std::string ids = "X-Request-Id: order-17\r\n";
  const std::string large = R"({"inputs":")" + std::string(40'000, 'x') + "\"}";
  const auto refused = [&](const std::string& request) {
    const RawResponse response = RawClient(door.port).exchange(request);
    EXPECT_EQ(response.fields.count("traceparent"), 1U) << response.status;
    const auto id = response.fields.find("x-request-id");
    EXPECT_EQ(id == response.fields.end() ? "none" : id->second, "order-17") << response.status;
    return response.status;
  };
  EXPECT_EQ(refused(post("/v1/classify", large, ids + "Authorization: Bearer wrong\r\n")), 401);
  EXPECT_EQ(refused(post("/v1/classify", large + large, ids)), 413);
  EXPECT_EQ(refused("GET /v1/models HTTP/1.1\r\n" + ids + "\r\n"), 400) << "no Host";
}

// Answers every request with the client that it is said to come from.
class NamesClients : public HttpHandler {
 public:
  std::optional<HttpResponse> refuse_early(const HttpHead&) override { return std::nullopt; }
  Abandon handle(HttpRequest request, Reply reply) override {
    HttpResponse response;
    response.body = request.head.client;
    reply(std::move(response));
    return {};
  }
  bool is_probe(const HttpHead&) const override { return false; }
  HttpResponse refuse(const HttpHead&, const HttpError& error) override {
    return error_response(error, ErrorShape::plain);
  }
  void begin_drain() override {}
};

TEST(Door, TellsTheHandlerWhoseRequestItIs) {
  ServerLog log(STDERR_FILENO, false);
  NamesClients handler;
  HttpServer server(handler, {}, "127.0.0.1", 0, log);
  std::atomic<bool> stop = false;
  std::thread thread([&] { server.run([&] { return stop.load(); }, milliseconds(0)); });
  EXPECT_EQ(RawClient(server.port()).exchange(get("/")).body, "127.0.0.1");
  stop = true;
  thread.join();
}

TEST(Door, SaysLittleOfWhatItWasSent) {
  Door door;
  RawClient client(door.port);
  const std::string long_name(100'000, 'x');
  for (const std::string& body : {R"({"inputs":"a","budget":")" + long_name + "\"}",
                                  "{\"" + long_name + "\":1}", "{\"inputs\":\"" + long_name}) {
    const RawResponse response = client.exchange(post("/v1/classify", body));
    EXPECT_EQ(response.status, 400);
    EXPECT_LT(response.body.size(), 500U);
  }
}

}  // namespace
}  // namespace headroom::server
