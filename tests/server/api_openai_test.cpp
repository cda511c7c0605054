// OpenAI's /v1/embeddings as its clients send it.
#include <cstring>

#include "server/outputs_api.h"

namespace headroom::server {
namespace {
using namespace testing;

class OpenAi : public OutputsApi {
 protected:
  HttpResponse embeddings(Json body) {
    if (!body.contains("model")) body["model"] = "vectors";
    return ask("/v1/embeddings", body);
  }
  Json answered(const Json& body) {
    const HttpResponse response = embeddings(body);
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body);
  }
  std::string refused(const Json& body, int status) {
    const HttpResponse response = embeddings(body);
    EXPECT_EQ(response.status, status) << response.body;
    return Json::parse(response.body)["error"].value("message", "");
  }
};

std::vector<float> decoded(const std::string& base64) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : base64) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<uint32_t>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 255);
  }
  std::vector<float> floats(bytes.size() / sizeof(float));
  std::memcpy(floats.data(), bytes.data(), floats.size() * sizeof(float));
  return floats;
}

TEST_F(OpenAi, ATextGetsTheEnginesVector) {
  const Json body = answered({{"input", "Oil prices"}, {"user", "someone"}});
  EXPECT_EQ(body["object"], "list");
  EXPECT_EQ(body["model"], "vectors");
  ASSERT_EQ(body["data"].size(), 1U);
  EXPECT_EQ(body["data"][0]["object"], "embedding");
  EXPECT_EQ(body["data"][0]["index"], 0);
  EXPECT_EQ(body["data"][0]["embedding"], expected("vectors", "Oil prices")["embedding"]);
  const auto tokens =
      static_cast<int64_t>(tokenise(*engine_of("vectors"), {"Oil prices"}).ids.size());
  EXPECT_EQ(body["usage"], Json({{"prompt_tokens", tokens}, {"total_tokens", tokens}}));
}

TEST_F(OpenAi, SeveralTextsComeInOrder) {
  const Json body = answered({{"input", {"Oil", "", "prices"}}});
  ASSERT_EQ(body["data"].size(), 3U);
  EXPECT_EQ(body["data"][2]["index"], 2);
  EXPECT_EQ(body["data"][2]["embedding"], expected("vectors", "prices")["embedding"]);
}

TEST_F(OpenAi, Base64IsTheSameFloats) {
  for (const int dimensions : {1, 2, 3, 32}) {
    const Json plain = answered({{"input", "Oil"}, {"dimensions", dimensions}});
    const Json packed =
        answered({{"input", "Oil"}, {"dimensions", dimensions}, {"encoding_format", "base64"}});
    const auto text = packed["data"][0]["embedding"].get<std::string>();
    EXPECT_EQ(text.size() % 4, 0U);
    EXPECT_EQ(decoded(text), plain["data"][0]["embedding"].get<std::vector<float>>());
  }
}

TEST_F(OpenAi, TokenIdsAreTheTextsOwn) {
  const auto ids = engine_of("vectors")->tokenizer().pieces("Oil prices");
  const Json wanted = expected("vectors", "Oil prices")["embedding"];
  EXPECT_EQ(answered({{"input", ids}})["data"][0]["embedding"], wanted);
  const Json two = answered({{"input", {ids, ids}}});
  ASSERT_EQ(two["data"].size(), 2U);
  EXPECT_EQ(two["data"][1]["embedding"], wanted);
}

TEST_F(OpenAi, TokenIdsThatTheModelLacksAreRefused) {
  EXPECT_NE(refused({{"input", {1, 1'000'000}}}, 422).find("the token id 1000000"),
            std::string::npos);
  EXPECT_NE(refused({{"input", std::vector<int>(5000, 1)}}, 422).find("has 5000 token ids"),
            std::string::npos);
  EXPECT_EQ(embeddings({{"input", {1, -1}}}).status, 400);
}

TEST_F(OpenAi, WithoutAModelTheFirstWithVectorsAnswers) {
  const HttpResponse response = ask("/v1/embeddings", {{"input", "a"}});
  EXPECT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(Json::parse(response.body)["model"], "vectors");
  EXPECT_EQ(refused({{"model", "text-embedding-3-small"}, {"input", "a"}}, 404),
            "model \"text-embedding-3-small\" is not served here; GET /v1/models lists those that "
            "are");
  EXPECT_EQ(embeddings({{"model", "tagger"}, {"input", "a"}}).status, 422);
}

TEST_F(OpenAi, BadBodiesAreRefusedByName) {
  EXPECT_EQ(refused(Json::object(), 400), "input is missing");
  EXPECT_EQ(refused({{"input", "a"}, {"encoding_format", "hex"}}, 400),
            "encoding_format is \"hex\", known are float and base64");
  EXPECT_EQ(refused({{"input", Json::array()}}, 422), "inputs has no text");
  for (const Json& wrong : {Json(7), Json({{"a", 1}}), Json({"a", 1}), Json({{1}, {"a"}})}) {
    EXPECT_EQ(embeddings({{"input", wrong}}).status, 400) << wrong;
  }
  EXPECT_EQ(embeddings({{"input", "a"}, {"dimensions", 33}}).status, 422);
}

}  // namespace
}  // namespace headroom::server
