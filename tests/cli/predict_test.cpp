// `predict`: texts in by file, standard input or JSON lines; one answer a line out.
#include <gtest/gtest.h>

#include <csignal>

#include "cli/tiny_model.h"

namespace headroom {
namespace {
using namespace testing;

class Predict : public TrainingHalf {};

Outcome predict(const Arguments& more, const std::string& input,
                const std::map<std::string, std::string>& environment = {}) {
  return run(joined({"predict", "--model", tiny_model().model(), "--threads", "1"}, more),
             {input, environment});
}

// The answers to `input`, without the one field that is a measurement.
std::vector<Json> answers(const Arguments& more, const std::string& input,
                          const std::map<std::string, std::string>& environment = {}) {
  const Outcome outcome = predict(joined({"--json"}, more), input, environment);
  expect_success(outcome);
  EXPECT_EQ(outcome.err, "");
  std::vector<Json> lines = json_lines(outcome);
  for (Json& line : lines) EXPECT_EQ(line.erase("ms"), 1U) << line.dump();
  return lines;
}

TEST_F(Predict, HelpListsTheOptions) {
  const Outcome help = run({"predict", "--help"});
  expect_success(help);
  for (const char* option : {"--model", "--budget", "--latency-ms", "--precision", "--input",
                             "--threads", "--json", "HEADROOM_BUDGET"}) {
    expect_holds(help.out, option);
  }
}

TEST_F(Predict, HasTheKeysThatToolsRelyOn) {
  const std::vector<Json> lines = answers({"-"}, "goal match\nbank\n");
  ASSERT_EQ(lines.size(), 2U);
  for (const Json& line : lines) {
    expect_keys(line, {"label", "scores", "budget", "active_heads", "tokens"});
    double sum = 0;
    for (const auto& [label, score] : line["scores"].items()) sum += score.get<double>();
    EXPECT_NEAR(sum, 1, 1e-9);
    EXPECT_TRUE(line["scores"].contains(line.value("label", "")));
  }
  EXPECT_EQ(lines[0]["tokens"], 4) << "[CLS] goal match [SEP]";
}

TEST_F(Predict, LearnedToTellSportFromMoney) {
  const std::vector<Json> lines = answers({}, "goal team score\nbank stock price\n");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0]["label"], "sport");
  EXPECT_EQ(lines[1]["label"], "money");
}

TEST_F(Predict, TheSameTextGivesTheSameBits) {
  const std::string texts = "goal match\nbank price\nunknown words\n\n";
  EXPECT_EQ(answers({}, texts), answers({}, texts));
}

TEST_F(Predict, LineEndingsDoNotChangeTheAnswer) {
  const std::vector<Json> plain = answers({}, "goal match\nbank\n");
  EXPECT_EQ(plain.size(), 2U);
  EXPECT_EQ(answers({}, "goal match\nbank"), plain) << "no newline at the end";
  EXPECT_EQ(answers({}, "goal match\r\nbank\r\n"), plain) << "CRLF";
}

TEST_F(Predict, FilesAndStandardInputAreReadInTheOrderGiven) {
  const TemporaryFolder folder;
  const std::string first = folder.write("first.txt", "goal match\n");
  const std::string second = folder.write("second.txt", "bank\n");
  EXPECT_EQ(answers({first, "-", second}, "team\n"), answers({}, "goal match\nteam\nbank\n"));
}

TEST_F(Predict, NoTextGivesNoAnswer) {
  EXPECT_TRUE(answers({}, "").empty());
}

TEST_F(Predict, JsonLinesEchoTheirIdAndTakePairs) {
  const std::vector<Json> lines =
      answers({"--input", "jsonl"},
              "{\"text\":\"goal match\",\"id\":{\"row\":7}}\n"
              "\n"
              "{\"text\":\"goal\",\"text_pair\":\"bank\",\"id\":\"b\"}\n"
              "{\"text\":\"goal match\"}\n");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0]["id"], Json({{"row", 7}}));
  EXPECT_EQ(lines[1]["id"], "b");
  EXPECT_EQ(lines[1]["tokens"], 5) << "[CLS] goal [SEP] bank [SEP]";
  EXPECT_FALSE(lines[2].contains("id"));
  EXPECT_EQ(lines[0]["scores"], lines[2]["scores"]);
}

TEST_F(Predict, WithoutJsonItIsLabelAndScoreALine) {
  const Outcome outcome = predict({}, "goal team score\n");
  expect_success(outcome);
  EXPECT_TRUE(outcome.out.starts_with("sport\t0.")) << outcome.out;
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Predict, TheBudgetComesFromTheEnvironmentAndTheFlagWins) {
  const std::vector<Json> half = answers({}, "goal\n", {{"HEADROOM_BUDGET", "0.5"}});
  EXPECT_EQ(half.at(0)["budget"], 0.5);
  EXPECT_EQ(half.at(0)["active_heads"], 0.5);
  const std::vector<Json> full = answers({"--budget", "1"}, "goal\n", {{"HEADROOM_BUDGET", "0.5"}});
  EXPECT_EQ(full.at(0)["budget"], 1.0);
}

TEST_F(Predict, WhatIsNoBudgetIsAUsageError) {
  for (const char* bad : {"-1", "1.5", "nan"}) {
    expect_failure(predict({"--budget", bad}, "goal\n"), 2, "is not a budget");
  }
  expect_failure(predict({"--budget", "0"}, "goal\n"), 2, "no budget 0: it has no bag of n-grams");
}

TEST_F(Predict, WhatThisVersionDoesNotHaveIsAUsageError) {
  expect_failure(predict({"--precision", "fp64"}, ""), 2, "fp64");
  expect_failure(predict({"--engine", "torch", "--latency-ms", "5"}, ""), 2,
                 "--latency-ms needs the native engine");
}

TEST_F(Predict, BadInputNamesTheLine) {
  const TemporaryFolder folder;
  const std::string file = folder.write("texts.txt", "goal\ncaf\xe9\n");
  const Outcome outcome = predict({file, "--json"}, "");
  EXPECT_EQ(outcome.exit_code, 3);
  const std::vector<Json> lines = json_lines(outcome);
  ASSERT_EQ(lines.size(), 2U) << "the answer to line 1, then the error";
  expect_holds(lines[1]["error"].value("message", ""), "texts.txt line 2");
  expect_failure(predict({"--input", "jsonl"}, "{\"text\": 3}\n"), 3, "line 1");
  expect_failure(predict({"nowhere.txt"}, ""), 2, "nowhere.txt");
}

TEST_F(Predict, ADamagedModelIsABadModel) {
  const TemporaryFolder folder;
  const std::filesystem::path model = folder.path() / "model";
  const auto with_model = [&] { return run({"predict", "--model", model}, {"goal\n", {}}); };
  expect_failure(with_model(), 4, "is not a directory");
  std::filesystem::copy(tiny_model().model(), model);
  std::filesystem::resize_file(model / "model.safetensors", 2000);
  expect_failure(with_model(), 4, "model.safetensors");
  folder.write("model/config.json", "{}");
  expect_failure(with_model(), 4, "config.json");
}

}  // namespace
}  // namespace headroom
