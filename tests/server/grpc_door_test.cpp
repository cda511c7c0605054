// The gRPC door: the same answers, errors, keys, limits, deadlines and end as REST.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <future>

#include "base/error.h"
#include "base/files/file.h"
#include "server/grpc_peer.h"
#include "server/tls_peer.h"
#include "support.h"

namespace headroom::server {
namespace {
using namespace testing;
using grpc::StatusCode;
using inference::ModelInferRequest;
using Stub = GrpcPeer::Stub;

std::function<void(grpc::ClientContext&)> within(std::chrono::milliseconds time) {
  return [time](grpc::ClientContext& context) {
    context.set_deadline(std::chrono::system_clock::now() + time);
  };
}

std::function<void(grpc::ClientContext&)> with_key(const std::string& key) {
  return [key](grpc::ClientContext& context) {
    context.AddMetadata("authorization", "Bearer " + key);
  };
}

std::function<void(grpc::ClientContext&)> with_priority(const std::string& priority,
                                                        const std::string& key = "") {
  return [=](grpc::ClientContext& context) {
    context.AddMetadata("x-headroom-priority", priority);
    if (!key.empty()) with_key(key)(context);
  };
}

TEST(GrpcDoor, TellsOfServerAndModel) {
  GrpcPeer peer;
  EXPECT_TRUE(peer.ask(&Stub::ServerLive, {}).message.live());
  EXPECT_TRUE(peer.ask(&Stub::ServerReady, {}).message.ready());
  const auto server = peer.ask(&Stub::ServerMetadata, {});
  EXPECT_EQ(server.message.name(), "headroom");
  EXPECT_EQ(server.message.extensions_size(), 2);
  inference::ModelReadyRequest ready;
  ready.set_name("news");
  EXPECT_TRUE(peer.ask(&Stub::ModelReady, ready).message.ready());
  inference::ModelMetadataRequest wanted;
  wanted.set_name("news");
  wanted.set_version("1");
  const auto model = peer.ask(&Stub::ModelMetadata, wanted);
  ASSERT_TRUE(model.status.ok()) << model.status.error_message();
  EXPECT_EQ(model.message.platform(), "headroom_safetensors");
  EXPECT_EQ(model.message.inputs(0).datatype(), "BYTES");
  EXPECT_EQ(model.message.outputs(1).name(), "scores");
  EXPECT_EQ(model.message.outputs(1).shape(1), 2);
}

TEST(GrpcDoor, AnswersContentsWithContents) {
  GrpcPeer peer;
  ModelInferRequest request = infer_texts({"a", "b"}, /*raw=*/false);
  request.set_id("7");
  const auto reply = peer.infer(request);
  ASSERT_TRUE(reply.status.ok()) << reply.status.error_message();
  EXPECT_EQ(peer.backend.last_texts, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(reply.message.model_name(), "news");
  EXPECT_EQ(reply.message.model_version(), "1");
  EXPECT_EQ(reply.message.id(), "7");
  EXPECT_EQ(reply.message.parameters().at("inference_ms").double_param(), 1.5);
  EXPECT_EQ(reply.message.raw_output_contents_size(), 0);
  ASSERT_EQ(reply.message.outputs_size(), 5);
  const auto& label = reply.message.outputs(0);
  EXPECT_EQ(label.name(), "label");
  EXPECT_EQ(label.shape(0), 2);
  EXPECT_EQ(label.contents().bytes_contents(1), "sport");
  EXPECT_EQ(reply.message.outputs(1).contents().fp64_contents(1), 0.75);
  EXPECT_EQ(reply.message.outputs(4).contents().int64_contents(0), 7);
  EXPECT_EQ(reply.trailers.find("x-headroom-tokens")->second, "14");
}

TEST(GrpcDoor, AnswersRawContentsWithRawOnes) {
  GrpcPeer peer;
  ModelInferRequest request = infer_texts({"a", ""}, /*raw=*/true);
  request.add_outputs()->set_name("scores");
  request.add_outputs()->set_name("label");
  const auto reply = peer.infer(request);
  ASSERT_TRUE(reply.status.ok()) << reply.status.error_message();
  EXPECT_EQ(peer.backend.last_texts, (std::vector<std::string>{"a", ""}));
  ASSERT_EQ(reply.message.raw_output_contents_size(), 2);
  EXPECT_FALSE(reply.message.outputs(0).has_contents());
  double score = 0;
  std::memcpy(&score, reply.message.raw_output_contents(0).data() + sizeof(score), sizeof(score));
  EXPECT_EQ(score, 0.75);
  EXPECT_EQ(reply.message.raw_output_contents(1), std::string("\5\0\0\0sport\5\0\0\0sport", 18));
}

TEST(GrpcDoor, TheDeadlineIsTheLatency) {
  GrpcPeer peer;
  ModelInferRequest request = infer_texts({"a"}, true);
  ASSERT_TRUE(peer.infer(request).status.ok());
  EXPECT_FALSE(peer.backend.last_call.latency_ms);
  ASSERT_TRUE(peer.infer(request, within(std::chrono::seconds(60))).status.ok());
  EXPECT_GT(peer.backend.last_call.latency_ms.value(), 0);
  EXPECT_LT(peer.backend.last_call.latency_ms.value(), 61'000) << "gRPC sends three digits";
  (*request.mutable_parameters())["latency_target_ms"].set_int64_param(9);
  ASSERT_TRUE(peer.infer(request, within(std::chrono::seconds(60))).status.ok());
  EXPECT_EQ(peer.backend.last_call.latency_ms, 9) << "what it asks for itself is less";
  (*request.mutable_parameters())["latency_target_ms"].set_int64_param(599'000);
  ASSERT_TRUE(peer.infer(request, within(std::chrono::seconds(60))).status.ok());
  EXPECT_LT(peer.backend.last_call.latency_ms.value(), 61'000) << "nobody waits any longer";
  ASSERT_TRUE(peer.infer(infer_texts({"a"}, true), within(std::chrono::hours(24))).status.ok());
}

TEST(GrpcDoor, ALongDeadlineDoesNotReplaceTheObjective) {
  GrpcPeer peer({.slo_ms = 20});
  ModelInferRequest request = infer_texts({"a"}, true);
  ASSERT_TRUE(peer.infer(request, within(std::chrono::seconds(60))).status.ok());
  EXPECT_EQ(peer.backend.last_call.latency_ms, 20) << "who waits that long at most is not patient";
  ASSERT_TRUE(peer.infer(request).status.ok());
  EXPECT_FALSE(peer.backend.last_call.latency_ms) << "the service has the objective itself";
  (*request.mutable_parameters())["latency_target_ms"].set_int64_param(3000);
  ASSERT_TRUE(peer.infer(request, within(std::chrono::seconds(60))).status.ok());
  EXPECT_EQ(peer.backend.last_call.latency_ms, 3000) << "who says so is";
}

TEST(GrpcDoor, CallsKeepTheirIds) {
  GrpcPeer peer({.api_key = "secret"});
  const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  const auto with_ids = [&](const std::string& key) {
    return [&trace, key](grpc::ClientContext& context) {
      context.AddMetadata("x-request-id", "order-17");
      context.AddMetadata("traceparent", "00-" + trace + "-00f067aa0ba902b7-01");
      with_key(key)(context);
    };
  };
  ModelInferRequest nameless = infer_texts({"a"}, true);
  nameless.clear_model_name();
  for (const auto& reply : {peer.infer(infer_texts({"a"}, true), with_ids("secret")),
                            peer.infer(infer_texts({"a"}, true), with_ids("wrong")),
                            peer.infer(nameless, with_ids("secret"))}) {
    SCOPED_TRACE(reply.status.error_message());
    ASSERT_EQ(reply.trailers.count("x-request-id"), 1U);
    EXPECT_EQ(reply.trailers.find("x-request-id")->second, "order-17");
    EXPECT_EQ(reply.trailers.find("traceparent")->second.substr(3, 32), trace);
  }
}

TEST(GrpcDoor, SpendsWhatParametersSayAsNumbersOrTexts) {
  GrpcPeer peer;
  ModelInferRequest request = infer_texts({"a"}, true);
  inference::InferParameter& budget = (*request.mutable_parameters())["budget"];
  budget.set_double_param(0.5);
  ASSERT_TRUE(peer.infer(request).status.ok());
  EXPECT_EQ(peer.backend.last_call.budget, 0.5);
  budget.set_string_param("0.25");
  ASSERT_TRUE(peer.infer(request).status.ok());
  EXPECT_EQ(peer.backend.last_call.budget, 0.25);
  budget.set_string_param("auto");
  ASSERT_TRUE(peer.infer(request).status.ok());
  EXPECT_TRUE(peer.backend.last_call.automatic);
  budget.set_double_param(std::nan(""));
  EXPECT_EQ(peer.infer(request).status.error_code(), StatusCode::INVALID_ARGUMENT);
  budget.set_string_param("half");
  EXPECT_EQ(peer.infer(request).status.error_code(), StatusCode::INVALID_ARGUMENT);
}

TEST(GrpcDoor, RequestsThatAreWrongAreTold) {
  GrpcPeer peer({.calls = {.texts = 2}});
  const auto told = [&](const ModelInferRequest& request) {
    const grpc::Status status = peer.infer(request).status;
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT) << status.error_message();
    return status.error_message();
  };
  ModelInferRequest request = infer_texts({"a"}, true);
  request.add_raw_input_contents("");
  EXPECT_EQ(told(request), "raw_input_contents has 2 entries, inputs has 1");
  request = infer_texts({"a"}, false);
  request.add_raw_input_contents("");
  EXPECT_EQ(told(request), "inputs[0] has contents beside raw_input_contents");
  request = infer_texts({"a"}, false);
  request.mutable_inputs(0)->mutable_contents()->add_fp32_contents(1);
  EXPECT_EQ(told(request), "inputs[0].contents: a BYTES tensor has bytes_contents alone");
  request = infer_texts({"a"}, false);
  request.mutable_inputs(0)->set_datatype("FP32");
  EXPECT_EQ(told(request), "inputs[0] must have datatype BYTES");
  request = infer_texts({"a"}, false);
  request.mutable_inputs(0)->set_shape(0, 2);
  EXPECT_EQ(told(request), "inputs[0] has 1 values, its shape says 2");
  EXPECT_EQ(told(infer_texts({"a", "b", "c"}, true)),
            "inputs has 3 texts, this server takes at most 2 a request");
  request = infer_texts({"a"}, true);
  request.add_outputs()->set_name("color");
  EXPECT_EQ(told(request), "outputs[0] is \"color\", which no model has");
  request = infer_texts({"a"}, true);
  request.clear_model_name();
  EXPECT_EQ(told(request), "model_name is empty");
  request = infer_texts({"a"}, true);
  for (int i = 0; i < 100; ++i) {
    (*request.mutable_parameters())[std::to_string(i)].set_bool_param(true);
  }
  EXPECT_EQ(told(request), "parameters has more than 64 entries");
  request = infer_texts({"a"}, false);
  for (int i = 0; i < 16; ++i) request.add_inputs();
  EXPECT_EQ(told(request), "inputs has more than 16 entries");
  request = infer_texts({"a"}, true);
  for (int i = 0; i < 16; ++i) request.add_raw_input_contents("");
  EXPECT_EQ(told(request), "raw_input_contents has more than 16 entries");
  request = infer_texts({"a"}, true);
  for (int i = 0; i < 17; ++i) request.add_outputs();
  EXPECT_EQ(told(request), "outputs has more than 16 entries");
  request = infer_texts({"a"}, true);
  for (int i = 0; i < 8; ++i) request.mutable_inputs(0)->add_shape(1);
  EXPECT_EQ(told(request), "inputs[0].shape has more than 8 entries");
  request = infer_texts({"a"}, true);
  request.set_model_name(std::string(2000, 'a'));
  EXPECT_EQ(told(request), "model_name is longer than 1024 bytes");
}

TEST(GrpcDoor, WhatIsNotThereIsNotFound) {
  GrpcPeer peer;
  ModelInferRequest request = infer_texts({"a"}, true);
  request.set_model_name("no such/model");
  const auto reply = peer.infer(request);
  EXPECT_EQ(reply.status.error_code(), StatusCode::NOT_FOUND);
  EXPECT_NE(reply.status.error_message().find("\"no such/model\""), std::string::npos);
  EXPECT_EQ(reply.trailers.find("x-headroom-error")->second, "not_found");
  request.set_model_name("news");
  request.set_model_version("2");
  EXPECT_EQ(peer.infer(request).status.error_code(), StatusCode::NOT_FOUND);
}

TEST(GrpcDoor, RefusalsHaveCodesOfTheirOwn) {
  GrpcPeer peer;
  const ModelInferRequest request = infer_texts({"a"}, true);
  peer.backend.refusal = {Refusal::queue_full, 3, "the queue is full"};
  const auto full = peer.infer(request);
  EXPECT_EQ(full.status.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(full.status.error_message(), "the queue is full");
  EXPECT_EQ(full.trailers.find("retry-after")->second, "3");
  peer.backend.refusal = {Refusal::deadline_unreachable, 0, "not even an idle server could"};
  EXPECT_EQ(peer.infer(request).status.error_code(), StatusCode::DEADLINE_EXCEEDED);
  peer.backend.refusal = {Refusal::draining, 0, ""};
  EXPECT_EQ(peer.infer(request).status.error_code(), StatusCode::UNAVAILABLE);
  peer.backend.refusal = {Refusal::failed, 0, "what only the log may say"};
  const auto failed = peer.infer(request);
  EXPECT_EQ(failed.status.error_code(), StatusCode::INTERNAL);
  EXPECT_EQ(failed.status.error_message().find("log may"), std::string::npos);
}

TEST(GrpcDoor, NeedsTheKeyForAllButHealth) {
  GrpcPeer peer({.api_key = "secret"});
  const ModelInferRequest request = infer_texts({"a"}, true);
  EXPECT_TRUE(peer.ask(&Stub::ServerLive, {}).status.ok());
  EXPECT_TRUE(peer.ask(&Stub::ServerReady, {}).status.ok());
  EXPECT_EQ(peer.ask(&Stub::ServerMetadata, {}).status.error_code(), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(peer.infer(request).status.error_code(), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(peer.infer(request, with_key("wrong")).status.error_code(),
            StatusCode::UNAUTHENTICATED);
  EXPECT_TRUE(peer.infer(request, with_key("secret")).status.ok());
}

TEST(GrpcDoor, AsksForTheKeyBeforeItReadsTheRest) {
  GrpcPeer peer({.api_key = "secret"});
  ModelInferRequest request = infer_texts({"a"}, true);
  for (int i = 0; i < 100; ++i) request.add_outputs();
  EXPECT_EQ(peer.infer(request).status.error_code(), StatusCode::UNAUTHENTICATED);
  EXPECT_EQ(peer.infer(request, with_key("secret")).status.error_code(),
            StatusCode::INVALID_ARGUMENT);
}

TEST(GrpcDoor, ThePriorityIsInTheMetadata) {
  GrpcPeer peer;
  const ModelInferRequest request = infer_texts({"a"}, true);
  ASSERT_TRUE(peer.infer(request, with_priority("low")).status.ok());
  EXPECT_EQ(peer.backend.last_call.priority, Priority::low);
  ASSERT_TRUE(peer.infer(request).status.ok());
  EXPECT_EQ(peer.backend.last_call.priority, Priority::normal);
  EXPECT_EQ(peer.infer(request, with_priority("urgent")).status.error_code(),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(peer.infer(request, with_priority("high")).status.error_code(),
            StatusCode::PERMISSION_DENIED);
}

TEST(GrpcDoor, AKeyMayAskUpToItsPriority) {
  const TemporaryFolder folder;
  GrpcPeerSettings settings;
  settings.api_keys = folder.path() / "keys.jsonl";
  KeyRules rules;
  rules.name = "search";
  rules.sha256 = sha256_hex("secret");
  rules.priority = Priority::high;
  append_key(settings.api_keys, rules);
  GrpcPeer peer(settings);
  const ModelInferRequest request = infer_texts({"a"}, true);
  ASSERT_TRUE(peer.infer(request, with_key("secret")).status.ok());
  EXPECT_EQ(peer.backend.last_call.priority, Priority::high);
  ASSERT_TRUE(peer.infer(request, with_priority("normal", "secret")).status.ok());
  EXPECT_EQ(peer.backend.last_call.priority, Priority::normal);
}

TEST(GrpcDoor, MessagesAreBoundedAndNotCompressed) {
  GrpcPeerSettings settings;
  settings.limits.body_bytes = 10'000;
  GrpcPeer peer(settings);
  EXPECT_TRUE(peer.infer(infer_texts({std::string(9'000, 'a')}, true)).status.ok());
  EXPECT_EQ(peer.infer(infer_texts({std::string(10'000, 'a')}, true)).status.error_code(),
            StatusCode::RESOURCE_EXHAUSTED);
  const auto compress = [](grpc::ClientContext& context) {
    context.set_compression_algorithm(GRPC_COMPRESS_GZIP);
  };
  EXPECT_EQ(
      peer.infer(infer_texts({std::string(100'000, 'a')}, true), compress).status.error_code(),
      StatusCode::UNIMPLEMENTED);
  EXPECT_TRUE(peer.ask(&Stub::ServerLive, {}).status.ok());
}

TEST(GrpcDoor, TextsThatAreNotUtf8AreTold) {
  GrpcPeer peer;
  peer.backend.failure = Error(ErrorCode::bad_data, "tokenise", "text is not UTF-8");
  EXPECT_EQ(peer.infer(infer_texts({"\xff"}, true)).status.error_code(),
            StatusCode::INVALID_ARGUMENT);
}

TEST(GrpcDoor, AClientThatLeavesTakesItsWorkWithIt) {
  GrpcPeer peer;
  peer.backend.mode = FakeBackend::Mode::later;
  grpc::ClientContext context;
  auto asked = std::async(std::launch::async, [&] {
    inference::ModelInferResponse response;
    return peer.stub().ModelInfer(&context, infer_texts({"a"}, true), &response);
  });
  ASSERT_TRUE(peer.backend.wait_for_calls(1));
  context.TryCancel();
  EXPECT_TRUE(peer.backend.wait_for_abandoned(1));
  EXPECT_EQ(asked.get().error_code(), StatusCode::CANCELLED);
  peer.backend.release_all();
}

TEST(GrpcDoor, StoppingFinishesWhatIsUnderWay) {
  GrpcPeer peer;
  peer.backend.mode = FakeBackend::Mode::later;
  auto asked =
      std::async(std::launch::async, [&] { return peer.infer(infer_texts({"a"}, true)).status; });
  ASSERT_TRUE(peer.backend.wait_for_calls(1));
  auto stopped =
      std::async(std::launch::async, [&] { return peer.door->stop(std::chrono::minutes(1)); });
  peer.backend.release_all();
  EXPECT_EQ(stopped.get(), 0);
  EXPECT_TRUE(asked.get().ok());
  EXPECT_EQ(peer.ask(&Stub::ServerLive, {}).status.error_code(), StatusCode::UNAVAILABLE);
}

TEST(GrpcDoor, StoppingCutsWhatDoesNotFinishInTime) {
  GrpcPeer peer;
  peer.backend.mode = FakeBackend::Mode::later;
  auto asked =
      std::async(std::launch::async, [&] { return peer.infer(infer_texts({"a"}, true)).status; });
  ASSERT_TRUE(peer.backend.wait_for_calls(1));
  auto stopped =
      std::async(std::launch::async, [&] { return peer.door->stop(std::chrono::milliseconds(0)); });
  EXPECT_TRUE(peer.backend.wait_for_abandoned(1));
  peer.backend.release_all();  // a service would answer an abandoned call itself
  EXPECT_EQ(stopped.get(), 1);
  EXPECT_FALSE(asked.get().ok());
}

TEST(GrpcDoor, IsNotReadyWhileItDrains) {
  GrpcPeer peer;
  peer.backend.begin_drain();
  const auto reply = peer.ask(&Stub::ServerReady, {});
  EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
  EXPECT_FALSE(reply.message.ready());
  EXPECT_TRUE(peer.ask(&Stub::ServerLive, {}).message.live());
}

TEST(GrpcDoor, APortThatIsTakenIsToldAtOnce) {
  GrpcPeer peer;
  Metrics metrics({"news"});
  Router router({}, "", metrics, [] {});
  EXPECT_THROW(make_grpc_door(router, {"127.0.0.1", peer.door->port(), {}, {}, {}}), Error);
}

class GrpcTls : public ::testing::Test {
 protected:
  GrpcTls() { write_certificate("first", files_.certificate, files_.key); }

  // Of a client that trusts the certificate in place when this is called.
  std::shared_ptr<grpc::ChannelCredentials> trusting() const {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = read_file(files_.certificate, ErrorCode::runtime);
    return grpc::SslCredentials(options);
  }

  TemporaryFolder folder_;
  TlsFiles files_{folder_.path() / "certificate.pem", folder_.path() / "key.pem", {}};
};

TEST_F(GrpcTls, SpeaksItWithTheSameFiles) {
  GrpcPeer peer({.tls = files_});
  peer.connect(trusting(), "first");
  EXPECT_TRUE(peer.infer(infer_texts({"a"}, true)).status.ok());
  peer.connect(grpc::InsecureChannelCredentials());
  EXPECT_EQ(peer.ask(&Stub::ServerLive, {}).status.error_code(), StatusCode::UNAVAILABLE);
}

TEST_F(GrpcTls, ShowsARenewedCertificateToThoseWhoComeLater) {
  GrpcPeer peer({.tls = files_});
  const auto old = trusting();
  peer.connect(old, "first");
  ASSERT_TRUE(peer.ask(&Stub::ServerLive, {}).status.ok());
  write_certificate("second", files_.certificate, files_.key);
  peer.door->reload_certificates();
  EXPECT_TRUE(peer.ask(&Stub::ServerLive, {}).status.ok()) << "the connection that exists stays";
  peer.connect(trusting(), "second");
  const auto fresh = peer.ask(&Stub::ServerLive, {});
  EXPECT_TRUE(fresh.status.ok()) << fresh.status.error_message();
  peer.connect(old, "first");
  EXPECT_FALSE(peer.ask(&Stub::ServerLive, {}).status.ok());
}

TEST_F(GrpcTls, MayAskClientsForACertificate) {
  TlsFiles theirs{folder_.path() / "client.pem", folder_.path() / "client-key.pem", {}};
  write_certificate("client", theirs.certificate, theirs.key);
  files_.client_ca = theirs.certificate;
  GrpcPeer peer({.tls = files_});
  peer.connect(trusting(), "first");
  EXPECT_FALSE(peer.ask(&Stub::ServerLive, {}).status.ok());
  grpc::SslCredentialsOptions options;
  options.pem_root_certs = read_file(files_.certificate, ErrorCode::runtime);
  options.pem_cert_chain = read_file(theirs.certificate, ErrorCode::runtime);
  options.pem_private_key = read_file(theirs.key, ErrorCode::runtime);
  peer.connect(grpc::SslCredentials(options), "first");
  const auto reply = peer.ask(&Stub::ServerLive, {});
  EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
}

}  // namespace
}  // namespace headroom::server
