// embed, rerank and predict with models of every output: keys, formats, and what is refused.
#include <gtest/gtest.h>

#include <cstring>

#include "base/files/file.h"
#include "cli/contract.h"
#include "hf_model.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

Arguments joined_with(Arguments first, const Arguments& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

class EveryOutput : public ::testing::Test {
 protected:
  // Imported once for all tests.
  static std::string model(const std::string& name) {
    static const TemporaryFolder folder;
    const std::filesystem::path out = folder.path() / name;
    if (!std::filesystem::exists(out)) {
      expect_success(
          run({"import", "--from", hf_model_folder(name).string(), "--out", out.string()}));
    }
    return out.string();
  }
  static Outcome ask(const std::string& verb, const std::string& name, const Arguments& more,
                     const std::string& input) {
    return run(joined_with({verb, "--model", model(name), "--threads", "1"}, more), {input, {}});
  }
};

TEST_F(EveryOutput, VectorsAreJsonLines) {
  const std::vector<Json> lines =
      json_lines(ask("embed", "bert-embed-mean", {}, "Oil prices rise\n\n"));
  ASSERT_EQ(lines.size(), 2U);
  for (const Json& line : lines) {
    expect_keys(line, {"embedding", "dimensions", "budget", "tokens"});
    EXPECT_EQ(line["embedding"].size(), 32U);
    EXPECT_EQ(line["dimensions"], 32);
  }
  EXPECT_EQ(lines[1]["tokens"], 2);
}

TEST_F(EveryOutput, VectorsAreAMatrixForNumPy) {
  const std::string texts = "Oil prices rise\nTwo dogs run.\n\n";
  const Arguments few = {"--dimensions", "4"};
  const std::vector<Json> lines = json_lines(ask("embed", "bert-embed-cls", few, texts));
  const Outcome matrix =
      ask("embed", "bert-embed-cls", joined_with(few, {"--format", "npy"}), texts);
  expect_success(matrix);
  expect_holds(matrix.out, "'shape': (3, 4)");
  const TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "vectors.npy";
  expect_success(ask("embed", "bert-embed-cls",
                     joined_with(few, {"--format", "npy", "--out", file.string()}), texts));
  const std::string bytes = read_file(file, ErrorCode::bad_data);
  EXPECT_EQ(bytes, matrix.out);
  ASSERT_EQ(bytes.size() % 64, 3 * 4 * sizeof(float) % 64);
  std::vector<float> floats(12);
  std::memcpy(floats.data(), bytes.data() + bytes.size() - 12 * sizeof(float), 12 * sizeof(float));
  for (size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(floats[i], lines[i / 4]["embedding"][i % 4].get<float>());
  }
}

TEST_F(EveryOutput, WhatVectorsDoNotHaveIsRefused) {
  for (const char* wrong : {"0", "33"}) {
    expect_failure(ask("embed", "bert-embed-mean", {"--dimensions", wrong}, "a\n"), 2,
                   "this model's vectors have 1 to 32");
  }
  expect_failure(ask("embed", "bert-embed-mean", {"--prompt", "query"}, "a\n"), 2,
                 "this model has no prompts");
  expect_failure(ask("embed", "bert-ner", {}, "a\n"), 2, "task tag, which has no vectors");
  expect_failure(ask("predict", "bert-embed-mean", {"--all-tokens"}, "a\n"), 2,
                 "all tokens is for models of task tag");
}

TEST_F(EveryOutput, TuneDoesNotSendAnybodyInCircles) {
  expect_failure(ask("predict", "bert-ner", {"--budget", "auto"}, "a\n"), 2,
                 "give a fraction or a latency");
  expect_failure(ask("tune", "bert-ner", {"--texts", "-"}, "a\n"), 2,
                 "give a fraction or a latency");
  expect_failure(ask("tune", "bert-rerank", {"--texts", "-"}, "a\n"), 2, "ask rerank");
}

TEST_F(EveryOutput, PassagesComeBestFirst) {
  const std::string passages = "Nobody runs.\nParis is the capital of France.\n\n";
  const Arguments query = {"--query", "what is the capital of france"};
  const std::vector<Json> lines =
      json_lines(ask("rerank", "bert-rerank", joined_with(query, {"--json"}), passages));
  ASSERT_EQ(lines.size(), 3U);
  std::set<int> seen;
  for (size_t i = 0; i < lines.size(); ++i) {
    expect_keys(lines[i], {"index", "score", "text", "budget"});
    seen.insert(lines[i]["index"].get<int>());
    const Json& before = lines[i > 0 ? i - 1 : 0];
    EXPECT_GE(before["score"], lines[i]["score"]);
  }
  EXPECT_EQ(seen, (std::set<int>{0, 1, 2}));
  const std::vector<Json> best =
      json_lines(ask("rerank", "bert-rerank",
                     joined_with(query, {"--json", "--top", "1", "--raw-scores"}), passages));
  ASSERT_EQ(best.size(), 1U);
  EXPECT_EQ(best[0]["text"], lines[0]["text"]);
  EXPECT_NEAR(1 / (1 + std::exp(-best[0]["score"].get<double>())), lines[0]["score"], 1e-12);
  const std::vector<Json> rounds = json_lines(
      ask("rerank", "bert-rerank", joined_with(query, {"--json", "--budget", "auto"}), passages));
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(rounds[i]["score"], lines[i]["score"]) << "a model without budgets runs whole";
    EXPECT_EQ(rounds[i]["rungs"], Json({1.0}));
  }
  expect_failure(ask("rerank", "bert-multilabel", query, passages), 2, "a ranker has one score");
}

TEST_F(EveryOutput, PassagesAreReadAsTheirFilesSay) {
  const TemporaryFolder folder;
  const auto jsonl = folder.write(
      "passages.jsonl", "{\"id\": 7, \"text\": \"Nobody runs.\"}\n{\"text\": \"Two dogs run.\"}\n");
  const auto csv = folder.write("passages.csv", "text,label\nNobody runs.,a\nTwo dogs run.,b\n");
  const Arguments query = {"--query", "who runs", "--json"};
  const auto lines = ask("rerank", "bert-rerank", query, "Nobody runs.\nTwo dogs run.\n");
  const auto by_rows = ask("rerank", "bert-rerank", joined_with(query, {csv.string()}), "");
  EXPECT_EQ(by_rows.out, lines.out);
  const auto texts = joined_with(query, {"--text", "Nobody runs.", "--text", "Two dogs run."});
  EXPECT_EQ(ask("rerank", "bert-rerank", texts, "").out, lines.out);
  const std::vector<Json> plain = json_lines(lines);
  const std::vector<Json> objects =
      json_lines(ask("rerank", "bert-rerank", joined_with(query, {jsonl.string()}), ""));
  ASSERT_EQ(objects.size(), 2U);
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(objects[i]["text"], plain[i]["text"]);
    EXPECT_EQ(objects[i].contains("id"), objects[i]["index"] == 0);
  }
}

TEST_F(EveryOutput, TagsHaveEntitiesAndOnDemandTokens) {
  const std::string text = "Angela Merkel besuchte Zürich.\n\n";
  const std::vector<Json> plain = json_lines(ask("predict", "bert-ner", {"--json"}, text));
  ASSERT_EQ(plain.size(), 2U);
  expect_keys(plain[0], {"entities", "budget", "active_heads", "tokens"});
  EXPECT_TRUE(plain[0]["tokens"].is_number());
  EXPECT_EQ(plain[1]["entities"], Json::array());
  for (const char* aggregation : {"simple", "first", "average", "max"}) {
    const std::vector<Json> lines = json_lines(
        ask("predict", "bert-ner", {"--json", "--all-tokens", "--aggregation", aggregation}, text));
    ASSERT_TRUE(lines[0]["tokens"].is_array());
    EXPECT_EQ(lines[1]["tokens"], Json::array()) << "of an empty text";
    expect_keys(lines[0]["tokens"][0], {"token", "start", "end", "label", "scores"});
    for (const Json& entity : lines[0]["entities"]) {
      expect_keys(entity, {"text", "label", "score", "start", "end"});
    }
  }
  expect_failure(ask("predict", "bert-ner", {"--aggregation", "last"}, text), 2,
                 "not one of simple, first, average, max");
}

TEST_F(EveryOutput, WhatEvalMeasuredIsKept) {
  const TemporaryFolder folder;
  const auto rows = folder.write("rows.csv", "1,who runs,Two dogs run.\n0,who runs,Nobody.\n");
  const Outcome eval =
      ask("eval", "bert-rerank",
          {"--data", "csv:" + rows.string() + "?text=2&text_pair=3", "--save"}, "");
  expect_success(eval);
  expect_holds(read_file(model("bert-rerank") + "/scores.json", ErrorCode::bad_model), "\"ndcg\"");
}

TEST_F(EveryOutput, SeveralLabelsHaveTheirScores) {
  const Json line =
      only_json_line(ask("predict", "bert-multilabel", {"--json"}, "Oil prices rise\n"));
  expect_keys(line, {"labels", "scores", "budget"});
  expect_keys(line["scores"], {"alpha", "beta", "gamma", "delta"});
}

TEST_F(EveryOutput, AScoreOfAPairMayBeRaw) {
  const std::string pair = "Two dogs run.\tNobody runs.\n";
  const Json line = only_json_line(ask("predict", "bert-rerank", {"--json"}, pair));
  const Json raw = only_json_line(ask("predict", "bert-rerank", {"--json", "--raw-scores"}, pair));
  EXPECT_NEAR(raw["score"], -0.7985051274299622, 1e-5);
  EXPECT_NEAR(line["score"], 1 / (1 + std::exp(0.7985051274299622)), 1e-5);
  expect_failure(ask("predict", "bert-multilabel", {"--raw-scores"}, "a\n"), 2, "is for rankers");
}

TEST_F(EveryOutput, InspectTellsWhatAModelAnswers) {
  const Json vectors =
      only_json_line(run({"inspect", "--model", model("bert-embed-cls"), "--json"}));
  EXPECT_EQ(vectors["task"], "embed");
  EXPECT_EQ(vectors["pooling"], "cls");
  EXPECT_EQ(vectors["normalize"], true);
  EXPECT_EQ(vectors["dimensions"], 32);
  EXPECT_EQ(only_json_line(run({"inspect", "--model", model("bert-ner"), "--json"}))["task"],
            "tag");
}

}  // namespace
}  // namespace headroom
