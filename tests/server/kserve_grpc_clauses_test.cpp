// The Open Inference Protocol over gRPC, clause by clause.
#include <google/protobuf/descriptor.h>

#include <map>

#include "server/grpc_peer.h"
#include "server/kserve_clauses.h"

namespace headroom::server {
namespace {
using namespace testing;
using grpc::StatusCode;
using inference::ModelInferRequest;
using inference::ModelInferResponse;
using Stub = GrpcPeer::Stub;

void expect_error(GrpcPeer& peer, const ModelInferRequest& request, StatusCode code) {
  const grpc::Status status = peer.infer(request).status;
  EXPECT_EQ(status.error_code(), code) << status.error_message();
  EXPECT_FALSE(status.error_message().empty());
}

ModelInferResponse answer(GrpcPeer& peer, const ModelInferRequest& request) {
  const auto reply = peer.infer(request);
  EXPECT_TRUE(reply.status.ok()) << reply.status.error_message();
  return reply.message;
}

int64_t elements(const ModelInferResponse::InferOutputTensor& tensor) {
  int64_t count = 1;
  for (const int64_t size : tensor.shape()) count *= size;
  return count;
}

// What clients have compiled in: "Message.field" and its number.
const std::map<std::string, int> field_numbers = {
    {"ServerLiveResponse.live", 1},
    {"ServerReadyResponse.ready", 1},
    {"ModelReadyRequest.name", 1},
    {"ModelReadyRequest.version", 2},
    {"ModelReadyResponse.ready", 1},
    {"ServerMetadataResponse.name", 1},
    {"ServerMetadataResponse.version", 2},
    {"ServerMetadataResponse.extensions", 3},
    {"ModelMetadataRequest.name", 1},
    {"ModelMetadataRequest.version", 2},
    {"ModelMetadataResponse.TensorMetadata.name", 1},
    {"ModelMetadataResponse.TensorMetadata.datatype", 2},
    {"ModelMetadataResponse.TensorMetadata.shape", 3},
    {"ModelMetadataResponse.name", 1},
    {"ModelMetadataResponse.versions", 2},
    {"ModelMetadataResponse.platform", 3},
    {"ModelMetadataResponse.inputs", 4},
    {"ModelMetadataResponse.outputs", 5},
    {"ModelInferRequest.InferInputTensor.name", 1},
    {"ModelInferRequest.InferInputTensor.datatype", 2},
    {"ModelInferRequest.InferInputTensor.shape", 3},
    {"ModelInferRequest.InferInputTensor.parameters", 4},
    {"ModelInferRequest.InferInputTensor.contents", 5},
    {"ModelInferRequest.InferRequestedOutputTensor.name", 1},
    {"ModelInferRequest.InferRequestedOutputTensor.parameters", 2},
    {"ModelInferRequest.model_name", 1},
    {"ModelInferRequest.model_version", 2},
    {"ModelInferRequest.id", 3},
    {"ModelInferRequest.parameters", 4},
    {"ModelInferRequest.inputs", 5},
    {"ModelInferRequest.outputs", 6},
    {"ModelInferRequest.raw_input_contents", 7},
    {"ModelInferResponse.InferOutputTensor.name", 1},
    {"ModelInferResponse.InferOutputTensor.datatype", 2},
    {"ModelInferResponse.InferOutputTensor.shape", 3},
    {"ModelInferResponse.InferOutputTensor.parameters", 4},
    {"ModelInferResponse.InferOutputTensor.contents", 5},
    {"ModelInferResponse.model_name", 1},
    {"ModelInferResponse.model_version", 2},
    {"ModelInferResponse.id", 3},
    {"ModelInferResponse.parameters", 4},
    {"ModelInferResponse.outputs", 5},
    {"ModelInferResponse.raw_output_contents", 6},
    {"InferParameter.bool_param", 1},
    {"InferParameter.int64_param", 2},
    {"InferParameter.string_param", 3},
    {"InferParameter.double_param", 4},
    {"InferParameter.uint64_param", 5},
    {"InferTensorContents.bool_contents", 1},
    {"InferTensorContents.int_contents", 2},
    {"InferTensorContents.int64_contents", 3},
    {"InferTensorContents.uint_contents", 4},
    {"InferTensorContents.uint64_contents", 5},
    {"InferTensorContents.fp32_contents", 6},
    {"InferTensorContents.fp64_contents", 7},
    {"InferTensorContents.bytes_contents", 8},
};

const std::vector<Clause<GrpcPeer>> clauses = {
    {"TheServiceHasItsMethods", "inference.GRPCInferenceService has six methods",
     [](GrpcPeer&) {
       const auto* service = google::protobuf::DescriptorPool::generated_pool()->FindServiceByName(
           "inference.GRPCInferenceService");
       ASSERT_NE(service, nullptr);
       for (const std::string name : {"ServerLive", "ServerReady", "ModelReady", "ServerMetadata",
                                      "ModelMetadata", "ModelInfer"}) {
         const auto* method = service->FindMethodByName(name);
         ASSERT_NE(method, nullptr) << name;
         EXPECT_EQ(method->input_type()->full_name(), "inference." + name + "Request");
         EXPECT_EQ(method->output_type()->full_name(), "inference." + name + "Response");
         EXPECT_FALSE(method->client_streaming() || method->server_streaming());
       }
     }},
    {"FieldsHaveTheirNumbers", "messages have the published fields and numbers",
     [](GrpcPeer&) {
       const auto* pool = google::protobuf::DescriptorPool::generated_pool();
       for (const auto& [name, number] : field_numbers) {
         const auto* field = pool->FindFieldByName("inference." + name);
         ASSERT_NE(field, nullptr) << name;
         EXPECT_EQ(field->number(), number) << name;
       }
     }},
    {"StringsAreCaseSensitive", "all strings in all contexts are case-sensitive",
     [](GrpcPeer& peer) {
       ModelInferRequest request = infer_texts({"a"}, true);
       request.set_model_name("News");
       expect_error(peer, request, StatusCode::NOT_FOUND);
       request = infer_texts({"a"}, true);
       request.mutable_inputs(0)->set_name("Text");
       expect_error(peer, request, StatusCode::INVALID_ARGUMENT);
       request = infer_texts({"a"}, true);
       request.mutable_inputs(0)->set_datatype("bytes");
       expect_error(peer, request, StatusCode::INVALID_ARGUMENT);
     }},
    {"ServerLiveIsOkAndABoolean", "Health: OK indicates success; live",
     [](GrpcPeer& peer) { EXPECT_TRUE(peer.ask(&Stub::ServerLive, {}).message.live()); }},
    {"ServerReadyIsOkAndABoolean", "Health: ready is false when the server is not",
     [](GrpcPeer& peer) {
       EXPECT_TRUE(peer.ask(&Stub::ServerReady, {}).message.ready());
       peer.backend.begin_drain();
       const auto reply = peer.ask(&Stub::ServerReady, {});
       EXPECT_TRUE(reply.status.ok());
       EXPECT_FALSE(reply.message.ready());
     }},
    {"ModelReadyTakesNameAndVersion", "Health: of the named model; without a version the server's",
     [](GrpcPeer& peer) {
       inference::ModelReadyRequest request;
       request.set_name("news");
       EXPECT_TRUE(peer.ask(&Stub::ModelReady, request).message.ready());
       request.set_version("1");
       EXPECT_TRUE(peer.ask(&Stub::ModelReady, request).message.ready());
       request.set_version("2");
       EXPECT_EQ(peer.ask(&Stub::ModelReady, request).status.error_code(), StatusCode::NOT_FOUND);
       request.set_name("other");
       EXPECT_EQ(peer.ask(&Stub::ModelReady, request).status.error_code(), StatusCode::NOT_FOUND);
       request.set_name("news");
       request.clear_version();
       peer.backend.begin_drain();
       EXPECT_FALSE(peer.ask(&Stub::ModelReady, request).message.ready());
     }},
    {"ServerMetadataHasItsFields", "Server Metadata: name, version, extensions",
     [](GrpcPeer& peer) {
       const auto reply = peer.ask(&Stub::ServerMetadata, {});
       EXPECT_EQ(reply.message.name(), "headroom");
       EXPECT_FALSE(reply.message.version().empty());
       EXPECT_GT(reply.message.extensions_size(), 0);
     }},
    {"ModelMetadataHasItsFields",
     "Model Metadata: name, versions, platform, and tensors with name, datatype, shape (-1: "
     "varies)",
     [](GrpcPeer& peer) {
       inference::ModelMetadataRequest request;
       request.set_name("news");
       const auto model = peer.ask(&Stub::ModelMetadata, request).message;
       EXPECT_EQ(model.name(), "news");
       EXPECT_EQ(model.platform(), "headroom_safetensors") << "<project>_<format>";
       ASSERT_EQ(model.versions_size(), 1);
       request.set_version(model.versions(0));
       EXPECT_TRUE(peer.ask(&Stub::ModelMetadata, request).status.ok());
       for (const auto* tensors : {&model.inputs(), &model.outputs()}) {
         for (const auto& tensor : *tensors) {
           EXPECT_FALSE(tensor.name().empty());
           EXPECT_TRUE(is_datatype(tensor.datatype()));
           EXPECT_EQ(tensor.shape(0), -1);
         }
       }
       request.set_name("other");
       EXPECT_EQ(peer.ask(&Stub::ModelMetadata, request).status.error_code(),
                 StatusCode::NOT_FOUND);
     }},
    {"AnIdComesBack", "ModelInfer: id is returned if specified",
     [](GrpcPeer& peer) {
       ModelInferRequest request = infer_texts({"a"}, true);
       EXPECT_EQ(answer(peer, request).id(), "");
       request.set_id("7");
       EXPECT_EQ(answer(peer, request).id(), "7");
     }},
    {"VersionsAreOptional", "ModelInfer: without model_version the server chooses, and tells",
     [](GrpcPeer& peer) {
       ModelInferRequest request = infer_texts({"a"}, true);
       EXPECT_EQ(answer(peer, request).model_version(), "1");
       request.set_model_version("1");
       EXPECT_EQ(answer(peer, request).model_name(), "news");
       request.set_model_version("2");
       expect_error(peer, request, StatusCode::NOT_FOUND);
     }},
    {"ParametersAreOptionalValues", "Parameters: boolean, integer, string, double",
     [](GrpcPeer& peer) {
       ModelInferRequest request = infer_texts({"a"}, true);
       auto& parameters = *request.mutable_parameters();
       parameters["sequence_start"].set_bool_param(true);
       parameters["priority"].set_uint64_param(1);
       parameters["timeout"].set_int64_param(1000);
       parameters["sequence_id"].set_string_param("s");
       parameters["budget"].set_double_param(0.5);
       (*request.mutable_inputs(0)->mutable_parameters())["content_type"].set_string_param("str");
       request.add_outputs()->set_name("label");
       (*request.mutable_outputs(0)->mutable_parameters())["classification"].set_int64_param(1);
       answer(peer, request);
       EXPECT_EQ(peer.backend.last_call.budget, 0.5);
       parameters["budgte"].set_double_param(0.5);
       expect_error(peer, request, StatusCode::INVALID_ARGUMENT);
     }},
    {"OutputsAreOptional", "ModelInfer: without outputs all that the model has are returned",
     [](GrpcPeer& peer) {
       inference::ModelMetadataRequest wanted;
       wanted.set_name("news");
       const auto model = peer.ask(&Stub::ModelMetadata, wanted).message;
       ModelInferRequest request = infer_texts({"a"}, true);
       const ModelInferResponse all = answer(peer, request);
       ASSERT_EQ(all.outputs_size(), model.outputs_size());
       for (int i = 0; i < model.outputs_size(); ++i) {
         EXPECT_EQ(all.outputs(i).name(), model.outputs(i).name());
         EXPECT_EQ(all.outputs(i).datatype(), model.outputs(i).datatype());
       }
       request.add_outputs()->set_name("tokens");
       const ModelInferResponse one = answer(peer, request);
       ASSERT_EQ(one.outputs_size(), 1);
       EXPECT_EQ(one.outputs(0).name(), "tokens");
     }},
    {"RawInputsAreInTheOrderOfInputs", "raw_input_contents: an entry a tensor, in the same order",
     [](GrpcPeer& peer) {
       ModelInferRequest request = infer_texts({"first"}, true);
       auto& pair = *request.add_inputs();
       pair = request.inputs(0);
       pair.set_name("text_pair");
       request.add_raw_input_contents(std::string("\6\0\0\0second", 10));
       answer(peer, request);
       EXPECT_EQ(peer.backend.last_texts, std::vector<std::string>{"first"});
       request.mutable_raw_input_contents()->RemoveLast();
       expect_error(peer, request, StatusCode::INVALID_ARGUMENT);
     }},
    {"RawInputsFitTheirShape", "raw_input_contents: the size matches shape and datatype",
     [](GrpcPeer& peer) {
       ModelInferRequest request = infer_texts({"a"}, true);
       request.mutable_inputs(0)->set_shape(0, 2);
       expect_error(peer, request, StatusCode::INVALID_ARGUMENT);
       request = infer_texts({"a"}, true);
       request.mutable_raw_input_contents(0)->push_back('x');
       expect_error(peer, request, StatusCode::INVALID_ARGUMENT);
       request.set_raw_input_contents(0, std::string("\xff\xff\xff\xff", 4));
       expect_error(peer, request, StatusCode::INVALID_ARGUMENT);
     }},
    {"RawInputsComeAlone", "raw_input_contents: then no input has contents",
     [](GrpcPeer& peer) {
       ModelInferRequest request = infer_texts({"a"}, true);
       request.mutable_inputs(0)->mutable_contents()->add_bytes_contents("a");
       expect_error(peer, request, StatusCode::INVALID_ARGUMENT);
     }},
    {"ContentsFitShapeAndDatatype",
     "InferTensorContents: of the datatype, as many as the shape says",
     [](GrpcPeer& peer) {
       ModelInferRequest request = infer_texts({"a", "b"}, false);
       answer(peer, request);
       EXPECT_EQ(peer.backend.last_texts, (std::vector<std::string>{"a", "b"}));
       request.mutable_inputs(0)->add_shape(1);
       answer(peer, request);
       request.mutable_inputs(0)->mutable_contents()->add_bytes_contents("c");
       expect_error(peer, request, StatusCode::INVALID_ARGUMENT);
       request = infer_texts({"a"}, false);
       request.mutable_inputs(0)->mutable_contents()->add_int_contents(1);
       expect_error(peer, request, StatusCode::INVALID_ARGUMENT);
       request = infer_texts({"a"}, false);
       request.mutable_inputs(0)->set_shape(0, -1);
       expect_error(peer, request, StatusCode::INVALID_ARGUMENT);
     }},
    {"InputsAreRequired", "ModelInfer: the inputs that the model needs",
     [](GrpcPeer& peer) {
       ModelInferRequest request;
       request.set_model_name("news");
       expect_error(peer, request, StatusCode::INVALID_ARGUMENT);
     }},
    {"RawOutputsComeAlone",
     "raw_output_contents: an entry a tensor, of the size that its shape says; then no output has "
     "contents",
     [](GrpcPeer& peer) {
       const ModelInferResponse response = answer(peer, infer_texts({"a", "b"}, true));
       ASSERT_EQ(response.raw_output_contents_size(), response.outputs_size());
       for (int i = 0; i < response.outputs_size(); ++i) {
         const auto& output = response.outputs(i);
         EXPECT_FALSE(output.has_contents()) << output.name();
         EXPECT_TRUE(is_datatype(output.datatype()));
         if (output.datatype() == "BYTES") continue;
         EXPECT_EQ(response.raw_output_contents(i).size(), 8U * elements(output)) << output.name();
       }
     }},
    {"ContentsOfOutputsFitShapeAndDatatype",
     "InferTensorContents: outputs in the field of their datatype, row-major",
     [](GrpcPeer& peer) {
       const ModelInferResponse response = answer(peer, infer_texts({"a", "b"}, false));
       EXPECT_EQ(response.raw_output_contents_size(), 0);
       for (const auto& output : response.outputs()) {
         const auto& contents = output.contents();
         const int64_t numbers = contents.fp64_contents_size() + contents.int64_contents_size() +
                                 contents.bytes_contents_size();
         EXPECT_EQ(numbers, elements(output)) << output.name();
       }
       const auto& scores = response.outputs(1).contents().fp64_contents();
       EXPECT_EQ(std::vector<double>(scores.begin(), scores.end()),
                 (std::vector<double>{0.25, 0.75, 0.25, 0.75}));
     }},
    {"FailuresAreStatuses", "errors are the call's status, anything but OK",
     [](GrpcPeer& peer) {
       peer.backend.refusal = {Refusal::queue_full, 3, "the queue is full"};
       expect_error(peer, infer_texts({"a"}, true), StatusCode::RESOURCE_EXHAUSTED);
     }},
};

class OpenInferenceGrpc : public ::testing::TestWithParam<Clause<GrpcPeer>> {};

TEST_P(OpenInferenceGrpc, Clause) {
  SCOPED_TRACE(GetParam().says);
  GrpcPeer peer;
  GetParam().check(peer);
}

INSTANTIATE_TEST_SUITE_P(, OpenInferenceGrpc, ::testing::ValuesIn(clauses), clause_name<GrpcPeer>);

}  // namespace
}  // namespace headroom::server
