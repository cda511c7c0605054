// What is read off the bytes of a gRPC message before it becomes one.
#include "server/grpc/outline.h"

#include <gtest/gtest.h>

#include "server/grpc_peer.h"
#include "server/http/error.h"

namespace headroom::server {
namespace {
using namespace testing;
using grpc::StatusCode;
using inference::ModelInferRequest;

// Each of these is two bytes or less on the wire and up to 150 in memory.
TEST(GrpcOutline, NoMessageIsMadeOfMorePartsThanTextsNeed) {
  GrpcPeer peer({.calls = {.texts = 2}});
  const auto told = [&](const ModelInferRequest& request) {
    const grpc::Status status = peer.infer(request).status;
    EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT) << status.error_message();
    return status.error_message();
  };
  const std::string too_many =
      "the message has more than 4100 fields and values, which no request for as many texts as "
      "this server takes needs";
  constexpr int many = 5000;
  ModelInferRequest request = infer_texts({"a"}, true);
  for (int i = 0; i < many; ++i) request.add_inputs();
  EXPECT_EQ(told(request), too_many);
  request = infer_texts({"a"}, true);
  for (int i = 0; i < many; ++i) request.add_raw_input_contents("");
  EXPECT_EQ(told(request), too_many);
  EXPECT_EQ(told(infer_texts(std::vector<std::string>(many), false)), too_many);
  request = infer_texts({"a"}, true);
  for (int i = 0; i < many; ++i) request.mutable_inputs(0)->add_shape(1);
  EXPECT_EQ(told(request), too_many);
  request = infer_texts({"a"}, true);
  for (int i = 0; i < many; ++i)
    (*request.mutable_inputs(0)->mutable_parameters())[std::to_string(i)];
  EXPECT_EQ(told(request), too_many);
  request = infer_texts({"a"}, true);
  for (int i = 0; i < many; ++i) {
    request.GetReflection()->MutableUnknownFields(&request)->AddLengthDelimited(99, "");
  }
  EXPECT_EQ(told(request), too_many);
  EXPECT_TRUE(peer.infer(infer_texts({"a", "b"}, false)).status.ok());
}

TEST(GrpcOutline, BytesThatAreNoMessageAreTold) {
  const auto told = [](std::string bytes) {
    grpc::Slice slice(bytes);
    try {
      outline_of(grpc::ByteBuffer(&slice, 1), 100);
      return std::string("a message");
    } catch (const HttpError& error) {
      return error.message();
    }
  };
  const std::string none = "the bytes are no ModelInferRequest";
  EXPECT_EQ(told(""), "a message");
  EXPECT_EQ(told("\x0a\x04news"), "a message");
  EXPECT_EQ(told("\x0a\x05news"), none) << "cut short";
  EXPECT_EQ(told("\x0a"), none) << "without its length";
  EXPECT_EQ(told("\x2a\x04\x0a\x09news"), none) << "a name that ends behind its tensor";
  EXPECT_EQ(told("\x2b\x2c"), none) << "a group";
  EXPECT_EQ(told("\x0a\xff\xff\xff\xff\x0f"), none) << "a length of 4 GiB";
  EXPECT_EQ(told(std::string("\0", 1)), none) << "a field without a number";
}

TEST(GrpcOutline, HasTheNamesWhereverTheyAre) {
  ModelInferRequest request = infer_texts({"a", "b"}, false);
  request.set_model_version("3");
  const std::string first =
      "\x12\x01"
      "2";  // a version that a later one replaces
  const std::string bytes = first + request.SerializeAsString();
  grpc::Slice slices[] = {grpc::Slice(bytes.substr(0, 9)), grpc::Slice(bytes.substr(9))};
  const InferOutline outline = outline_of(grpc::ByteBuffer(slices, 2), 100);
  EXPECT_EQ(outline.model_name, "news");
  EXPECT_EQ(outline.model_version, "3");
}

}  // namespace
}  // namespace headroom::server
