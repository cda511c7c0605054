// How the door behaves with clients that are slow, many, in a hurry or gone.
#include <gtest/gtest.h>

#include "server/door.h"
#include "server/raw_client.h"

namespace headroom {
namespace {
using namespace testing;
using std::chrono::milliseconds;

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
      "POST /v1/classify HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
      "4;name=value\r\n{\"in\r\nb\r\nputs\":\"abc\"\r\n1\r\n}\r\n0\r\nX-Trailer: y\r\n\r\n");
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(door.backend.last_texts.at(0).text, "abc");
}

TEST(Door, InvitesABodyThatWaitsForIt) {
  Door door;
  RawClient client(door.port);
  const std::string body = R"({"inputs":"x"})";
  const RawResponse invited = client.exchange(
      "POST /v1/classify HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\nContent-Length: " +
      std::to_string(body.size()) + "\r\n\r\n");
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
  RawClient first(door.port);
  ASSERT_EQ(first.exchange(get("/v2/health/live")).status, 200);
  RawClient second(door.port);
  const RawResponse refused = second.receive();
  EXPECT_EQ(refused.status, 429);
  EXPECT_EQ(refused.error_code(), "overloaded");
  EXPECT_EQ(refused.fields.at("retry-after"), "1");
  EXPECT_EQ(first.exchange(get("/v2/health/live")).status, 200) << "the first one stays";
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
  ServerLog log(stderr, false);
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
}  // namespace headroom
