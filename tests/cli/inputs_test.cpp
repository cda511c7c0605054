// Where `predict` takes texts from: data SPECs, files by their suffix, --text, a terminal; and what
// it says about texts and budgets that it does not take as they come.
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "base/measure/machine.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/precision_file.h"
#include "cli/contract.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

constexpr const char* news = HEADROOM_SOURCE_DIR "/models/news-mini";

Outcome predict(Arguments more, const std::string& input = "") {
  more.insert(more.begin(), {"predict", "--model", news, "--threads", "1", "--precision", "fp32"});
  return run(more, {input, {}});
}

std::string answers(Arguments more, const std::string& input = "") {
  more.insert(more.end(), {"--json", "--no-timing"});
  const Outcome outcome = predict(more, input);
  expect_success(outcome);
  return outcome.out;
}

const std::string two_lines = "Oil prices fell for a third day\nTwo late goals won the match\n";

TEST(Inputs, ACsvIsReadAsTrainReadsIt) {
  const TemporaryFolder folder;
  const std::string lines = answers({}, two_lines);
  const std::string named = folder.write("named.csv",
                                         "topic,message\nmoney,Oil prices fell for a third day\n"
                                         "money,Two late goals won the match\n");
  const std::string bare = folder.write("rows",
                                        "money;Oil prices fell for a third day\n"
                                        "sport;\"Two late goals won the match\"\n");
  EXPECT_EQ(answers({named + "?text=message"}), lines);
  EXPECT_EQ(answers({named}), lines);
  EXPECT_EQ(answers({"csv:" + bare}), lines);
  EXPECT_EQ(answers({named + "+csv:" + bare}), lines + lines);
  expect_holds(predict({named}).err, "named.csv: label topic, text message; labels are not read");
}

TEST(Inputs, ASuffixSaysWhatAFileHoldsAndInputSaysOtherwise) {
  const TemporaryFolder folder;
  const std::string rows =
      folder.write("rows.jsonl", "{\"text\": \"Oil prices fell for a third day\", \"id\": 7}\n");
  EXPECT_EQ(json_lines(predict({rows, "--json"})).at(0)["id"], 7);
  EXPECT_EQ(json_lines(predict({"jsonl:" + rows, "--json"})).at(0)["id"], 7);
  EXPECT_FALSE(json_lines(predict({rows, "--json", "--input", "text"})).at(0).contains("id"));
  expect_failure(predict({"csv:nowhere.csv"}), 2, "nowhere.csv");
  expect_failure(predict({"nowhere.csv"}), 2, "nowhere.csv");
  expect_failure(predict({"csv:" + rows, "--shard", "1/2"}), 2, "one file of lines or JSON lines");
}

TEST(Inputs, TextsComeFromTheCommandLine) {
  EXPECT_EQ(answers({"--text", "Oil prices fell for a third day", "--text",
                     "Two late goals won the match"}),
            answers({}, two_lines));
  expect_failure(predict({"--text", "Oil", "file.txt"}), 2, "give FILES or --text, not both");
}

TEST(Inputs, ATerminalIsAskedForTexts) {
  const std::string command = (bin_directory() / "headroom").string() + " predict --model " + news;
  ProcessInput typed{"Oil prices fell\n", {}};
  typed.program = "script";
  const Outcome outcome = run({"-qec", command, "/dev/null"}, typed);
  expect_holds(outcome.out, "one a line; Ctrl-D ends");
  EXPECT_EQ(predict({}, two_lines).err, "") << "not where nobody types";
}

TEST(Inputs, RowsAreResumed) {
  const TemporaryFolder folder;
  std::string content = "label,text\n";
  for (int i = 0; i < 600; ++i) content += "x,oil and goals " + std::to_string(i) + "\n";
  const std::string rows = folder.write("rows.csv", content);
  const std::string whole = folder.path() / "whole";
  const std::string part = folder.path() / "part";
  const Arguments form = {rows, "--budget", "0.125", "--json", "--no-timing", "--out"};
  const auto to = [&](const std::string& out, bool resume) {
    Arguments all = form;
    all.push_back(out);
    if (resume) all.emplace_back("--resume");
    return predict(all);
  };
  expect_success(to(whole, false));
  expect_success(to(part, false));
  // As a run leaves it that was killed after 100 rows.
  const auto content_of = [](const std::string& file) {
    return read_file(file, ErrorCode::runtime);
  };
  const std::string answered = content_of(whole);
  size_t bytes = 0;
  for (int i = 0; i < 100; ++i) bytes = answered.find('\n', bytes) + 1;
  Json progress = Json::parse(content_of(part + ".progress"));
  progress.update({{"input_byte", 100},
                   {"output_bytes", bytes},
                   {"answers", 100},
                   {"complete", false},
                   {"file", 0}});
  write_file_atomically(part + ".progress", progress.dump());
  expect_success(to(part, true));
  EXPECT_EQ(content_of(part), answered);
}

TEST(Inputs, WhatWasCutIsToldAndCounted) {
  std::string text;
  for (int i = 0; i < 200; ++i) text += "oil ";
  const Outcome outcome = predict({"--json"}, text + "\noil\n");
  expect_success(outcome);
  const std::vector<Json> lines = json_lines(outcome);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].value("truncated", false), true);
  EXPECT_FALSE(lines[1].contains("truncated"));
  expect_holds(outcome.err, "1 of 2 texts were cut: this model reads 128 tokens");
}

TEST(Inputs, TopKGivesTheBestLabels) {
  const Outcome text = predict({"--top-k", "2", "--text", "Oil prices fell for a third day"});
  expect_success(text);
  EXPECT_TRUE(text.out.starts_with("Business\t0.9")) << text.out;
  EXPECT_EQ(std::count(text.out.begin(), text.out.end(), '\t'), 3) << text.out;
  const Json line =
      only_json_line(predict({"--json", "--top-k", "2", "--text", "Oil prices fell"}));
  EXPECT_EQ(line["scores"].size(), 2U);
  EXPECT_EQ(line["scores"].begin().key(), line["label"]);
}

TEST(Inputs, ABudgetBelowTheLeastIsToldAndAnsweredAsWhatRuns) {
  const Outcome small = predict({"--json", "--budget", "0.01", "--text", "Oil prices fell"});
  expect_success(small);
  expect_holds(small.err, "budget 0.01 is below the least of this model; 0.0866 runs");
  EXPECT_EQ(only_json_line(small)["budget"], 0.0866);
  EXPECT_EQ(predict({"--budget", "0.125", "--text", "Oil"}).err, "");
}

class AutoPrecision : public ::testing::Test {
 protected:
  AutoPrecision() : model_(folder_.path() / "model") { std::filesystem::copy(news, model_); }

  void choose(const std::string& machine, Precision precision) const {
    store_precision_choice(model_, read_config(model_), {machine, "2026-01-02", precision});
  }
  Outcome ask(const Arguments& more) const {
    Arguments all = {"predict", "--model",     model_,      "--text", "Oil prices fell",
                     "--json",  "--no-timing", "--threads", "1"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }
  const std::filesystem::path& model() const { return model_; }

 private:
  TemporaryFolder folder_;
  std::filesystem::path model_;
};

TEST_F(AutoPrecision, IsFp32UntilCalibrateHasChosen) {
  EXPECT_EQ(ask({}).out, ask({"--precision", "fp32"}).out);
  EXPECT_EQ(ask({}).err, "");
  choose("another machine", Precision::bf16);
  EXPECT_EQ(ask({"--precision", "auto"}).out, ask({"--precision", "fp32"}).out);
}

TEST_F(AutoPrecision, IsWhatWasChosenHereAndSaysSo) {
  choose(cpu_name(), Precision::bf16);
  const Outcome chosen = ask({});
  expect_success(chosen);
  EXPECT_EQ(chosen.out, ask({"--precision", "bf16"}).out);
  EXPECT_NE(chosen.out, ask({"--precision", "fp32"}).out);
  expect_holds(chosen.err, "precision bf16, as calibrate chose;");
  EXPECT_EQ(ask({"--precision", "fp32"}).err, "");
}

TEST_F(AutoPrecision, CalibrateChoosesStoresAndMeasuresIt) {
  const Outcome outcome =
      run({"calibrate", "--model", model(), "--rounds", "5", "--tokens", "8", "--json"});
  expect_success(outcome);
  const Json line = only_json_line(outcome);
  expect_holds(outcome.err, "precision " + line.value("precision", ""));
  EXPECT_EQ(line["choice"]["precision"], line["precision"]);
  const auto stored = find_precision_choice(model(), read_config(model()), cpu_name());
  ASSERT_TRUE(stored);
  EXPECT_EQ(to_json(*stored), line["choice"]);
}

}  // namespace
}  // namespace headroom
