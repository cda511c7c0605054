// `tokenize`: what a checkpoint's or a folder's tokenizer makes of lines.
#include <gtest/gtest.h>

#include "cli/contract.h"
#include "hf_model.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

std::string folder_of(const std::string& name) {
  return hf_model_folder(name).string();
}

TEST(Tokenize, GivesIdsTokensOffsetsAndTypes) {
  for (const std::string name : {"roberta-ner", "bert-rerank", "deberta-v2-cls"}) {
    const std::vector<HfCase> cases = hf_cases(name);
    std::string lines;
    for (const HfCase& each : cases) {
      Json line = {{"text", each.text}, {"id", lines.size()}};
      if (each.pair) line["text_pair"] = *each.pair;
      lines += line.dump() + "\n";
    }
    const std::vector<Json> answers = json_lines(
        run({"tokenize", "--model", folder_of(name), "--input", "jsonl", "--json"}, {lines, {}}));
    ASSERT_EQ(answers.size(), cases.size());
    EXPECT_EQ(answers[0].value("id", -1), 0);
    for (size_t i = 0; i < cases.size(); ++i) {
      EXPECT_EQ(answers[i].at("ids"), Json(cases[i].tokens.ids)) << cases[i].text;
      EXPECT_EQ(answers[i].at("tokens"), Json(cases[i].spelled)) << cases[i].text;
      EXPECT_EQ(answers[i].at("types").size(), cases[i].tokens.ids.size());
      if (!cases[i].tokens.types.empty()) {
        EXPECT_EQ(answers[i].at("types"), Json(cases[i].tokens.types)) << cases[i].text;
      }
      if (!cases[i].offsets.empty()) {
        EXPECT_EQ(answers[i].at("offsets"), Json(cases[i].offsets)) << cases[i].text;
      }
    }
  }
}

TEST(Tokenize, OfACheckpointIsThatOfTheFolderItCameFrom) {
  const TemporaryFolder folder;
  for (const std::string name : {"xlmr-cls", "bert-tiny"}) {
    const std::string checkpoint = (folder.path() / name).string();
    expect_success(run({"import", "--from", folder_of(name), "--out", checkpoint}));
    const ProcessInput lines = {"Größe 12, 日本語 🙂\n\n[SEP] a  b\n", {}};
    const Outcome imported = run({"tokenize", "--model", checkpoint, "--json"}, lines);
    expect_success(imported);
    EXPECT_EQ(imported.out, run({"tokenize", "--model", folder_of(name), "--json"}, lines).out);
  }
}

TEST(Tokenize, WritesTokensForPeopleAndCutsThem) {
  const Outcome whole =
      run({"tokenize", "--model", folder_of("bert-tiny"), "--text", "Hello, world"});
  EXPECT_EQ(whole.out, "[CLS] hello , world [SEP]\n");
  EXPECT_EQ(run({"tokenize", "--model", folder_of("bert-tiny"), "--text", "Hello, world",
                 "--max-tokens", "3"})
                .out,
            "[CLS] hello [SEP]\n");
}

TEST(Tokenize, SaysWhatIsWrong) {
  const TemporaryFolder folder;
  expect_failure(run({"tokenize", "--model", folder.path().string(), "--text", "a"}), 4,
                 "neither vocab.txt nor tokenizer.json");
  expect_failure(run({"tokenize", "--model", folder_of("roberta-cls")}, {"a \xFF\n", {}}), 3,
                 "line 1");
  expect_failure(run({"tokenize", "--text", "a"}), 2, "--model is required");
}

}  // namespace
}  // namespace headroom
