// The door behind TLS: the same answers, limits and times, and certificates that change.
#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include "base/error.h"
#include "base/files/file.h"
#include "server/door.h"
#include "server/tls_peer.h"
#include "support.h"

namespace headroom::server {
namespace {
using namespace testing;
using std::chrono::milliseconds;

const std::string question = post("/v1/classify", R"({"inputs":"x"})");

class TlsDoor : public ::testing::Test {
 protected:
  TlsDoor() { write_certificate("first", files_.certificate, files_.key); }

  DoorSettings settings() {
    tls_ = std::make_unique<TlsContext>(files_);
    DoorSettings settings;
    settings.tls = tls_.get();
    return settings;
  }

  TemporaryFolder folder_;
  TlsFiles files_{folder_.path() / "certificate.pem", folder_.path() / "key.pem", {}};
  std::unique_ptr<TlsContext> tls_;
};

TEST_F(TlsDoor, AnswersOneRequestAfterTheOther) {
  Door door(settings());
  TlsClient client(door.port);
  EXPECT_EQ(client.peer_name(), "first");
  for (int i = 0; i < 3; ++i) {
    const RawResponse response = client.exchange(question);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(response.json()["answers"][0]["label"], "sport");
  }
  EXPECT_EQ(client.exchange(get("/v1/models", "Connection: close\r\n")).status, 200);
  EXPECT_TRUE(client.ends_properly());
}

TEST_F(TlsDoor, SpeaksVersions12And13AndNoOlder) {
  Door door(settings());
  EXPECT_EQ(TlsClient(door.port).protocol(), "TLSv1.3");
  TlsClient older(door.port, {.newest_version = TLS1_2_VERSION});
  EXPECT_EQ(older.protocol(), "TLSv1.2");
  EXPECT_EQ(older.exchange(question).status, 200);
  EXPECT_FALSE(TlsClient(door.port, {.newest_version = TLS1_1_VERSION}).shaken());
}

TEST_F(TlsDoor, TellsThoseWhoSpeakPlainlyWhatToDo) {
  Door door(settings());
  RawClient plain(door.port);
  const RawResponse response = plain.exchange(get("/v1/models"));
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(response.body.find("https://"), std::string::npos) << response.body;
  RawClient garbage(door.port);
  garbage.send(std::string("\x16garbage that is no handshake, and quite long", 40));
  EXPECT_TRUE(garbage.hung_up_on());
}

TEST_F(TlsDoor, AnswersLateCallsPipelinedAndInOrder) {
  Door door(settings());
  door.backend.mode = FakeBackend::Mode::later;
  TlsClient client(door.port);
  client.send(question + get("/v2/health/live"));
  ASSERT_TRUE(door.backend.wait_for_calls(1));
  client.renew_keys();
  door.backend.release_all();
  EXPECT_TRUE(client.receive().json().contains("answers"));
  EXPECT_TRUE(client.receive().json().contains("live"));
}

TEST_F(TlsDoor, SendsResponsesThatDoNotFitIntoTheSocket) {
  Door door(settings());
  TlsClient client(door.port);
  std::string many;
  constexpr int requests = 400;
  for (int i = 0; i < requests; ++i) many += get("/");
  client.send(many);
  const RawResponse first = client.receive();
  EXPECT_GT(first.body.size(), 20'000U);
  for (int i = 1; i < requests; ++i) ASSERT_EQ(client.receive().body, first.body) << i;
}

TEST_F(TlsDoor, InvitesABodyThatWaitsForIt) {
  Door door(settings());
  TlsClient client(door.port);
  const std::string body = R"({"inputs":"x"})";
  EXPECT_EQ(client
                .exchange("POST /v1/classify HTTP/1.1\r\nHost: t\r\nContent-Type: "
                          "application/json\r\nExpect: 100-continue\r\nContent-Length: " +
                          std::to_string(body.size()) + "\r\n\r\n")
                .status,
            100);
  EXPECT_EQ(client.exchange(body).status, 200);
}

TEST_F(TlsDoor, NoticesAClientThatLeavesWhileItsCallWaits) {
  Door door(settings());
  door.backend.mode = FakeBackend::Mode::later;
  TlsClient client(door.port);
  client.send(question);
  ASSERT_TRUE(door.backend.wait_for_calls(1));
  client.close();
  EXPECT_TRUE(door.backend.wait_for_abandoned(1));
}

TEST_F(TlsDoor, AHandshakeMustComeInTime) {
  DoorSettings hasty = settings();
  hasty.limits.read = milliseconds(50);
  Door door(hasty);
  RawClient silent(door.port);
  EXPECT_TRUE(silent.closed_silently());
  RawClient half(door.port);
  half.send(std::string("\x16\x03\x01\x02", 4));
  EXPECT_TRUE(half.closed_silently());
}

TEST_F(TlsDoor, WhoIsSlowToShakeHandsMakesRoom) {
  DoorSettings small = settings();
  small.limits.connections = 1;
  Door door(small);
  RawClient slow(door.port);
  slow.send(std::string("\x16\x03\x01\x02", 4));
  TlsClient second(door.port);
  EXPECT_EQ(second.exchange(question).status, 200);
  EXPECT_TRUE(slow.closed_silently());
}

TEST_F(TlsDoor, ACertificateIsReadAgainForThoseWhoComeLater) {
  Door door(settings());
  TlsClient before(door.port);
  write_certificate("second", files_.certificate, files_.key);
  EXPECT_EQ(TlsClient(door.port).peer_name(), "first") << "not before it is told to";
  tls_->reload();
  EXPECT_EQ(TlsClient(door.port).peer_name(), "second");
  EXPECT_EQ(before.exchange(question).status, 200) << "who is here stays";
}

TEST_F(TlsDoor, ABrokenCertificateLeavesTheOldOne) {
  Door door(settings());
  const std::filesystem::path other = folder_.path() / "other.pem";
  write_certificate("other", other, files_.key);  // a key of another certificate
  EXPECT_THROW(tls_->reload(), Error);
  write_file_atomically(files_.certificate, "no certificate");
  EXPECT_THROW(tls_->reload(), Error);
  EXPECT_EQ(TlsClient(door.port).peer_name(), "first");
}

TEST_F(TlsDoor, FilesThatAreMissingOrWrongAreNamed) {
  TlsFiles missing = files_;
  missing.key = folder_.path() / "nowhere.pem";
  try {
    const TlsContext context(missing);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(std::string(error.what()).find("nowhere.pem"), std::string::npos) << error.what();
  }
}

TEST_F(TlsDoor, ClientsMayHaveToShowACertificate) {
  const std::filesystem::path key = folder_.path() / "client-key.pem";
  files_.client_ca = folder_.path() / "client.pem";
  write_certificate("client", files_.client_ca, key);
  Door door(settings());
  // In TLS 1.3 a client learns of the refusal when it reads.
  EXPECT_EQ(TlsClient(door.port).exchange(question).status, 0);
  EXPECT_EQ(TlsClient(door.port, {0, files_.certificate, files_.key}).exchange(question).status, 0)
      << "one that nobody signed";
  EXPECT_EQ(TlsClient(door.port, {0, files_.client_ca, key}).exchange(question).status, 200);
}

}  // namespace
}  // namespace headroom::server
