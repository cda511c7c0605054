// KServe's extension binary_tensor_data: tensors as bytes behind the JSON, in and out.
#include <gtest/gtest.h>

#include <cstring>

#include "server/api/dialects/kserve.h"
#include "server/fake_backend.h"
#include "server/telemetry/metrics.h"

namespace headroom::server {
namespace {
using namespace testing;

// A text behind its length in four bytes, the lowest first.
std::string element(const std::string& text) {
  return std::string({static_cast<char>(text.size()), 0, 0, 0}) + text;
}

// Takes numbers off the front of bytes.
template <typename Number>
Number take(std::string& bytes) {
  Number number{};
  EXPECT_GE(bytes.size(), sizeof(number));
  std::memcpy(&number, bytes.data(), sizeof(number));
  bytes.erase(0, sizeof(number));
  return number;
}

std::string text_input(size_t rows, size_t bytes, const std::string& more = "") {
  return R"({"inputs":[{"name":"text","shape":[)" + std::to_string(rows) +
         R"(],"datatype":"BYTES","parameters":{"binary_data_size":)" + std::to_string(bytes) +
         "}}]" + more + "}";
}

class BinaryTensors : public ::testing::Test {
 protected:
  HttpResponse ask(const std::string& json, const std::string& binary,
                   const std::string& type = "application/octet-stream",
                   std::optional<std::string> length = {}) {
    HttpHead head{"POST", "/v2/models/news/infer", "", type, "", ""};
    head.json_length = length.value_or(std::to_string(json.size()));
    HttpResponse answer;
    router_.handle({head, json + binary, std::chrono::steady_clock::now()},
                   [&](HttpResponse response) { answer = std::move(response); });
    return answer;
  }

  FakeBackend backend_;
  Metrics metrics_{{"news"}};
  Router router_{kserve_routes(backend_, {}), "", metrics_, [] {}};
};

TEST_F(BinaryTensors, TextsComeBehindTheJson) {
  const std::string texts = element("Oil \xC3\xBC") + element("");
  const HttpResponse response = ask(text_input(2, texts.size()), texts);
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(backend_.last_texts, (std::vector<std::string>{"Oil \xC3\xBC", ""}));
  EXPECT_EQ(response.content_type, "application/json") << "outputs are JSON unless asked for";
}

TEST_F(BinaryTensors, OneInputMayBeJsonAndAnotherBinary) {
  const std::string json =
      R"({"inputs":[{"name":"text","shape":[1],"datatype":"BYTES","data":["a"]},)"
      R"({"name":"text_pair","shape":[1],"datatype":"BYTES","parameters":{"binary_data_size":5}}]})";
  EXPECT_EQ(ask(json, element("b")).status, 200);
  EXPECT_EQ(ask(json, element("b"), "application/json").status, 200);
}

TEST_F(BinaryTensors, OutputsComeAsBytesWhenAskedFor) {
  const std::string texts = element("a") + element("b");
  const HttpResponse response =
      ask(text_input(2, texts.size(), R"(,"parameters":{"binary_data_output":true})"), texts);
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(response.content_type, "application/octet-stream");
  size_t length = 0;
  for (const HttpField& field : response.fields) {
    if (field.name == "Inference-Header-Content-Length") length = std::stoul(field.value);
  }
  const Json json = Json::parse(response.body.substr(0, length));
  EXPECT_EQ(
      json["outputs"][0].dump(),
      R"({"name":"label","datatype":"BYTES","shape":[2],"parameters":{"binary_data_size":18}})");
  EXPECT_EQ(json["outputs"][1]["parameters"]["binary_data_size"], 32);
  std::string binary = response.body.substr(length);
  EXPECT_EQ(binary.substr(0, 18), element("sport") + element("sport"));
  binary.erase(0, 18);
  for (const double score : {0.25, 0.75, 0.25, 0.75}) EXPECT_EQ(take<double>(binary), score);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(take<double>(binary), 1) << "budget, active_heads";
  for (int i = 0; i < 2; ++i) EXPECT_EQ(take<int64_t>(binary), 7) << "tokens";
  EXPECT_EQ(binary, "");
}

TEST_F(BinaryTensors, AnOutputsOwnWordCountsMoreThanTheRequests) {
  const std::string outputs =
      R"(,"outputs":[{"name":"label","parameters":{"binary_data":false}},{"name":"tokens"}],)"
      R"("parameters":{"binary_data_output":true})";
  const HttpResponse mixed = ask(text_input(1, 5, outputs), element("a"));
  ASSERT_EQ(mixed.status, 200) << mixed.body;
  const Json json = Json::parse(mixed.body.substr(0, mixed.body.size() - sizeof(int64_t)));
  EXPECT_EQ(json["outputs"][0]["data"], Json({"sport"}));
  EXPECT_FALSE(json["outputs"][1].contains("data"));
}

TEST_F(BinaryTensors, BytesThatDoNotFitTheirDescriptionAreRefused) {
  const std::string one = element("a");
  EXPECT_EQ(ask(text_input(2, one.size()), one).status, 400) << "shape";
  EXPECT_EQ(ask(text_input(1, 6), one).status, 400) << "more than there is";
  EXPECT_EQ(ask(text_input(1, 5), one + "x").status, 400) << "bytes of no input";
  EXPECT_EQ(ask(text_input(1, 4), std::string("\x01\0\0\0", 4)).status, 400) << "cut in a text";
  EXPECT_EQ(ask(text_input(1, 3), std::string("\x01\0\0", 3)).status, 400) << "cut in a length";
  EXPECT_EQ(ask(text_input(1, 4), "\xFF\xFF\xFF\xFF").status, 400) << "four gigabytes";
  EXPECT_EQ(ask(R"({"inputs":[{"name":"text","shape":[1],"datatype":"BYTES","data":["a"],)"
                R"("parameters":{"binary_data_size":5}}]})",
                one)
                .status,
            400)
      << "both";
  std::string many;
  for (int i = 0; i < 33; ++i) many += one;
  EXPECT_EQ(ask(text_input(33, many.size()), many).status, 422);
}

TEST_F(BinaryTensors, TheJsonMustEndWhereTheHeaderSays) {
  const std::string json = text_input(1, 5);
  for (const char* length : {"x", "-1", "99999", "18446744073709551616", "1 "}) {
    EXPECT_EQ(ask(json, element("a"), "application/octet-stream", length).status, 400) << length;
  }
  EXPECT_EQ(ask(json, element("a"), "application/octet-stream", "").status, 415)
      << "without it only JSON is taken";
  const HttpResponse refused = ask(json, "", "application/json", "");
  EXPECT_EQ(refused.status, 400);
  EXPECT_NE(refused.body.find("0 bytes are left behind the JSON"), std::string::npos)
      << refused.body;
}

}  // namespace
}  // namespace headroom::server
