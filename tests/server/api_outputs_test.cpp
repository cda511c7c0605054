// /v1/embed, /v1/rerank, /v1/tag and KServe's infer with imported models behind a real service: the
// same numbers as the engine's own doors, and what is refused.
#include <map>

#include "engine/answers/rank.h"
#include "server/outputs_api.h"

namespace headroom::server {
namespace {
using namespace testing;
using ApiOutputs = OutputsApi;

TEST_F(ApiOutputs, VectorsAreThoseOfTheEngine) {
  const Json found = answers("/v1/embed", {{"model", "vectors"}, {"inputs", {"Oil prices", ""}}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0]["embedding"], expected("vectors", "Oil prices")["embedding"]);
  EXPECT_EQ(found[0]["dimensions"], 32);
  for (const char* key : {"budget", "active_heads", "active_ffn", "tokens"}) {
    EXPECT_TRUE(found[0].contains(key)) << key;
  }
  AnswerOptions options;
  options.dimensions = 4;
  EXPECT_EQ(answers("/v1/embed",
                    {{"model", "vectors"}, {"inputs", "Oil"}, {"dimensions", 4}})[0]["embedding"],
            expected("vectors", "Oil", options)["embedding"]);
}

TEST_F(ApiOutputs, DimensionsAndPromptsThatTheModelLacksAreRefused) {
  for (const int wrong : {0, 33}) {
    EXPECT_NE(
        complaint("/v1/embed", {{"model", "vectors"}, {"inputs", "a"}, {"dimensions", wrong}}, 422)
            .find("this model's vectors have 1 to 32"),
        std::string::npos);
  }
  EXPECT_EQ(complaint("/v1/embed", {{"inputs", "a"}, {"dimensions", "four"}}, 400),
            "dimensions is \"four\", expected a whole number");
  EXPECT_NE(
      complaint("/v1/embed", {{"model", "vectors"}, {"inputs", "a"}, {"prompt", "query"}}, 422)
          .find("this model has no prompts"),
      std::string::npos);
}

TEST_F(ApiOutputs, WithoutAnAutomaticBudgetSayWhatToDoInstead) {
  const auto why = [&](const std::string& path, const std::string& model) {
    return complaint(path, {{"model", model}, {"inputs", "a"}, {"budget", "auto"}}, 422);
  };
  for (const std::string& told :
       {why("/v1/embed", "vectors"), why("/v1/tag", "tagger"), why("/v1/classify", "flags")}) {
    EXPECT_NE(told.find("give a fraction or a latency"), std::string::npos) << told;
  }
  EXPECT_NE(why("/v1/classify", "ranker").find("/v1/rerank"), std::string::npos);
}

TEST_F(ApiOutputs, PassagesComeBestFirst) {
  const std::vector<std::string> passages = {"Nobody runs.", "Paris is the capital of France.", ""};
  const Json found = answers(
      "/v1/rerank",
      {{"model", "ranker"}, {"query", "what is the capital of france"}, {"inputs", passages}});
  ASSERT_EQ(found.size(), 3U);
  Session session(engine_of("ranker"));
  const std::vector<std::string_view> views(passages.begin(), passages.end());
  const auto scores = rank_passages(session, "what is the capital of france", views, {});
  const std::vector<size_t> order = ranking(scores);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found[i]["index"], order[i]);
    EXPECT_EQ(found[i]["score"], scores[order[i]].score);
    EXPECT_EQ(found[i]["text"], passages[order[i]]);
    EXPECT_TRUE(found[i].contains("budget"));
  }
  const Json best = answers("/v1/rerank", {{"model", "ranker"},
                                           {"query", "what is the capital of france"},
                                           {"documents", passages},
                                           {"top", 1},
                                           {"raw_scores", true}});
  ASSERT_EQ(best.size(), 1U);
  EXPECT_EQ(best[0]["score"], scores[order[0]].logit);
}

TEST_F(ApiOutputs, ARankingNeedsAQueryAndPassages) {
  EXPECT_EQ(complaint("/v1/rerank", {{"inputs", {"a"}}}, 400), "query is missing");
  EXPECT_EQ(complaint("/v1/rerank", {{"query", "a"}}, 400), "inputs is missing");
  EXPECT_EQ(complaint("/v1/rerank", {{"query", "a"}, {"inputs", Json::array()}}, 422),
            "inputs has no text");
  EXPECT_EQ(complaint("/v1/rerank", {{"query", "a"}, {"inputs", {"b"}}, {"texts", {"b"}}}, 400),
            "give inputs, texts or documents, not two of them");
  EXPECT_NE(
      complaint("/v1/rerank", {{"query", "a"}, {"inputs", std::vector<std::string>(257, "b")}}, 422)
          .find("at most 256 a request"),
      std::string::npos);
}

TEST_F(ApiOutputs, TagsAreThoseOfTheEngineHoweverLongTheText) {
  std::string text = "Angela Merkel besuchte Zürich.";
  for (int i = 0; i < 6; ++i) text += " " + text;  // several windows
  AnswerOptions options;
  options.aggregation = Aggregation::first;
  options.token_tags = true;
  const Json found = answers("/v1/tag", {{"model", "tagger"},
                                         {"inputs", {text, ""}},
                                         {"aggregation", "first"},
                                         {"all_tokens", true}});
  const Json wanted = expected("tagger", text, options);
  EXPECT_EQ(found[0]["entities"], wanted["entities"]);
  EXPECT_EQ(found[0]["tokens"], wanted["tokens"]);
  EXPECT_EQ(found[1]["entities"], Json::array());
  EXPECT_EQ(found[1]["tokens"], Json::array());
  EXPECT_NE(complaint("/v1/tag", {{"inputs", "a"}, {"aggregation", "last"}}, 422)
                .find("known are simple, first, average, max"),
            std::string::npos);
}

TEST_F(ApiOutputs, ATextOfTooManyWindowsIsRefused) {
  std::string text;
  for (int i = 0; i < 40'000; ++i) text += "a ";
  EXPECT_NE(
      complaint("/v1/tag", {{"model", "tagger"}, {"inputs", text}}, 422).find("send shorter texts"),
      std::string::npos);
}

TEST_F(ApiOutputs, SeveralLabelsAreClassified) {
  const Json found = answers("/v1/classify", {{"model", "flags"}, {"inputs", "Oil prices"}});
  const Json wanted = expected("flags", "Oil prices");
  EXPECT_EQ(found[0]["labels"], wanted["labels"]);
  EXPECT_EQ(found[0]["scores"], wanted["scores"]);
}

TEST_F(ApiOutputs, AModelOfAnotherOutputNamesItsPath) {
  EXPECT_EQ(complaint("/v1/classify", {{"model", "vectors"}, {"inputs", "a"}}, 422),
            "model \"vectors\" is of task embed: ask /v1/embed");
  EXPECT_EQ(complaint("/v1/embed", {{"model", "tagger"}, {"inputs", "a"}}, 422),
            "model \"tagger\" is of task tag: ask /v1/tag");
  EXPECT_EQ(complaint("/v1/tag", {{"model", "flags"}, {"inputs", "a"}}, 422),
            "model \"flags\" is of task multilabel: ask /v1/classify");
  EXPECT_EQ(complaint("/v1/rerank", {{"model", "flags"}, {"query", "a"}, {"inputs", {"b"}}}, 422),
            "model \"flags\" is of task multilabel: ask /v1/classify");
}

TEST_F(ApiOutputs, ABudgetThatTheModelLacksIsRefused) {
  for (const char* path : {"/v1/embed", "/v1/tag", "/v1/rerank"}) {
    Json body = {{"inputs", {"a"}}, {"budget", 0.5}};
    body["model"] = path == std::string("/v1/embed") ? "vectors"
                    : path == std::string("/v1/tag") ? "tagger"
                                                     : "ranker";
    if (path == std::string("/v1/rerank")) body["query"] = "q";
    EXPECT_NE(complaint(path, body, 422).find("budget 1 only"), std::string::npos) << path;
  }
}

// The tensors of one text by name.
std::map<std::string, Json> tensors_of_answer(const Json& body) {
  std::map<std::string, Json> tensors;
  for (const Json& tensor : body["outputs"]) tensors[tensor.value("name", "")] = tensor;
  return tensors;
}

TEST_F(ApiOutputs, KServeHasATensorForEveryOutput) {
  const auto infer = [&](const std::string& model, const Json& parameters) {
    const Json text = {
        {"name", "text"}, {"shape", {1}}, {"datatype", "BYTES"}, {"data", {"Ann in Rome"}}};
    const HttpResponse response =
        ask("/v2/models/" + model + "/infer", {{"parameters", parameters}, {"inputs", {text}}});
    EXPECT_EQ(response.status, 200) << response.body;
    return tensors_of_answer(Json::parse(response.body));
  };
  const auto vectors = infer("vectors", {{"dimensions", 4}});
  EXPECT_EQ(vectors.at("embedding")["shape"], Json({1, 4}));
  EXPECT_EQ(vectors.at("embedding")["datatype"], "FP32");
  EXPECT_EQ(vectors.at("embedding")["data"].size(), 4U);
  EXPECT_FALSE(vectors.contains("label"));
  const auto tags = infer("tagger", {{"aggregation", "max"}});
  AnswerOptions options;
  options.aggregation = Aggregation::max;
  EXPECT_EQ(Json::parse(tags.at("entities")["data"][0].get<std::string>()),
            expected("tagger", "Ann in Rome", options)["entities"]);
  const auto flags = infer("flags", Json::object());
  EXPECT_EQ(flags.at("scores")["shape"], Json({1, 4}));
  EXPECT_TRUE(flags.contains("labels"));
  EXPECT_TRUE(infer("ranker", Json::object()).contains("score"));
}

TEST_F(ApiOutputs, KServeRefusesATensorOfAnotherOutput) {
  const Json text = {{"name", "text"}, {"shape", {1}}, {"datatype", "BYTES"}, {"data", {"a"}}};
  const HttpResponse response =
      ask("/v2/models/vectors/infer", {{"inputs", {text}}, {"outputs", {{{"name", "label"}}}}});
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(response.body.find("label, which this model does not have"), std::string::npos);
}

}  // namespace
}  // namespace headroom::server
