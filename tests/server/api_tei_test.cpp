// The routes of Text Embeddings Inference, as its clients use them.
#include <cmath>

#include "engine/answers/rank.h"
#include "server/outputs_api.h"

namespace headroom::server {
namespace {
using namespace testing;

class Tei : public OutputsApi {
 protected:
  Json answered(const std::string& path, const Json& body) {
    const HttpResponse response = ask(path, body);
    EXPECT_EQ(response.status, 200) << response.body;
    return Json::parse(response.body);
  }
  std::string refused(const std::string& path, const Json& body, int status) {
    const HttpResponse response = ask(path, body);
    EXPECT_EQ(response.status, status) << response.body;
    const Json error = Json::parse(response.body);
    EXPECT_EQ(error.size(), 2U) << error;
    EXPECT_EQ(error["error_type"], "Validation") << error;
    return error.value("error", "");
  }
  HttpResponse look(const std::string& path) {
    HttpResponse answer;
    router_.handle({{"GET", path, "", "", "", ""}, "", std::chrono::steady_clock::now()},
                   [&](HttpResponse response) { answer = std::move(response); });
    return answer;
  }
};

TEST_F(Tei, EmbedGivesAListOfVectors) {
  const Json one = answered("/embed", {{"inputs", "Oil prices"}});
  ASSERT_EQ(one.size(), 1U) << "of one text too";
  EXPECT_EQ(one[0], expected("vectors", "Oil prices")["embedding"]);
  const Json two = answered("/embed", {{"inputs", {"Oil", "prices"}},
                                       {"truncate", true},
                                       {"normalize", true},
                                       {"truncation_direction", "Right"},
                                       {"prompt_name", nullptr}});
  EXPECT_EQ(two[1], expected("vectors", "prices")["embedding"]);
  const auto ids = engine_of("vectors")->tokenizer().pieces("Oil");
  EXPECT_EQ(answered("/embed", {{"inputs", ids}})[0], two[0]);
  EXPECT_EQ(answered("/embed", {{"inputs", "Oil"}, {"dimensions", 4}})[0].size(), 4U);
}

TEST_F(Tei, VectorsHaveLengthOneUnlessAsked) {
  double sum = 0;
  const Json vectors = answered("/embed", {{"inputs", "Oil"}});
  for (const Json& x : vectors[0]) sum += x.get<double>() * x.get<double>();
  EXPECT_NEAR(sum, 1, 1e-5);
  EXPECT_NE(refused("/embed", {{"inputs", "Oil"}, {"normalize", false}}, 422).find("length 1"),
            std::string::npos);
}

TEST_F(Tei, PredictGivesEveryLabelTheLikeliestFirst) {
  const Json found = answered("/predict", {{"inputs", "Oil prices"}});
  const Json scores = expected("flags", "Oil prices")["scores"];
  ASSERT_EQ(found.size(), scores.size());
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i]["score"], scores[found[i]["label"].get<std::string>()]);
    EXPECT_GE(found[i == 0 ? 0 : i - 1]["score"], found[i]["score"]);
  }
}

TEST_F(Tei, PredictTakesATextAPairOrABatchOfThem) {
  const Json one = answered("/predict", {{"inputs", {"Oil prices"}}});
  EXPECT_EQ(one, answered("/predict", {{"inputs", "Oil prices"}}));
  const Json pair = answered("/predict", {{"inputs", {"Oil", "prices"}}});
  EXPECT_TRUE(pair[0].is_object()) << "one answer";
  Json batch = {{"inputs", Json::array()}};
  batch["inputs"].push_back(Json::array({"Oil prices"}));
  batch["inputs"].push_back({"Oil", "prices"});
  const Json both = answered("/predict", batch);
  ASSERT_EQ(both.size(), 2U);
  EXPECT_EQ(both[0], one);
  EXPECT_EQ(both[1], pair);
  EXPECT_NE(refused("/predict", {{"inputs", {"a", "b", "c"}}}, 400).find("a list of such lists"),
            std::string::npos);
}

TEST_F(Tei, RerankSortsByScore) {
  const std::vector<std::string> texts = {"Nobody runs.", "Paris is the capital of France.", ""};
  const Json found = answered("/rerank", {{"query", "what is the capital"}, {"texts", texts}});
  Session session(engine_of("ranker"));
  const std::vector<std::string_view> views(texts.begin(), texts.end());
  const auto scores = rank_passages(session, "what is the capital", views, {});
  const std::vector<size_t> order = ranking(scores);
  ASSERT_EQ(found.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found[i]["index"], order[i]);
    EXPECT_EQ(found[i]["score"], scores[order[i]].score);
    EXPECT_FALSE(found[i].contains("text"));
  }
  const Json raw = answered("/rerank", {{"query", "what is the capital"},
                                        {"texts", texts},
                                        {"raw_scores", true},
                                        {"return_text", true}});
  EXPECT_EQ(raw[0]["score"], scores[order[0]].logit);
  EXPECT_EQ(raw[0]["text"], texts[order[0]]);
}

TEST_F(Tei, ALongTextIsRefusedWhereItMayNotBeTruncated) {
  std::string text;
  for (int i = 0; i < 600; ++i) text += "oil ";
  for (const Json& body : {Json{{"inputs", text}}, Json{{"inputs", {"a", text}}}}) {
    EXPECT_EQ(ask("/predict", body).status, 200);
    Json whole = body;
    whole["truncate"] = false;
    EXPECT_NE(refused("/predict", whole, 413).find("truncate cuts it"), std::string::npos);
  }
  EXPECT_EQ(ask("/embed", {{"inputs", "a"}, {"truncate", false}}).status, 200);
  refused("/embed", {{"inputs", text}, {"truncate", false}}, 413);
  refused("/rerank", {{"query", "a"}, {"texts", {"b", text}}, {"truncate", false}}, 413);
  refused("/embed", {{"inputs", "a"}, {"truncation_direction", "Left"}}, 422);
}

TEST_F(Tei, ErrorsHaveItsShape) {
  EXPECT_EQ(refused("/embed", Json::object(), 400), "inputs is missing");
  EXPECT_EQ(refused("/rerank", {{"query", "a"}}, 400), "texts is missing");
  refused("/predict", {{"inputs", "a"}, {"bugdet", 1}}, 400);
  refused("/predict", {{"inputs", "a"}, {"model", "tagger"}}, 422);
  refused("/predict", {{"inputs", "a"}, {"raw_scores", true}}, 422);
  EXPECT_EQ(Json::parse(look("/embed").body)["error_type"], "Validation") << "405";
  EXPECT_TRUE(Json::parse(look("/embedded").body)["error"].is_object()) << "another path";
}

TEST_F(Tei, ABudgetMayBeNamed) {
  EXPECT_NE(refused("/embed", {{"inputs", "a"}, {"budget", 0.5}}, 422).find("budget 1 only"),
            std::string::npos);
}

TEST_F(Tei, HealthAndInfoAreThere) {
  EXPECT_EQ(look("/health").status, 200);
  const Json info = Json::parse(look("/info").body);
  EXPECT_EQ(info["model_id"], "flags");
  EXPECT_EQ(info["model_type"]["classifier"]["label2id"].size(), 4U);
  for (const char* key : {"model_dtype", "max_input_length", "max_client_batch_size", "version",
                          "max_concurrent_requests", "auto_truncate"}) {
    EXPECT_TRUE(info.contains(key)) << key;
  }
  service_.begin_drain();
  const HttpResponse draining = look("/health");
  EXPECT_EQ(draining.status, 503);
  EXPECT_EQ(Json::parse(draining.body)["error_type"], "Unhealthy");
}

}  // namespace
}  // namespace headroom::server
