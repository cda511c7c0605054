// `train`: what it writes, what it refuses, and where its options come from.
#include <gtest/gtest.h>

#include "cli/tiny_model.h"

namespace headroom {
namespace {
using namespace testing;
namespace fs = std::filesystem;

class Train : public TrainingHalf {
 protected:
  fs::path out() const { return folder_.path() / "out"; }
  Outcome train(const Arguments& more, const ProcessInput& given = {}) const {
    return run(joined(tiny_model().training(out()), more), given);
  }
  Outcome train_on(const std::string& rows) const {
    const auto file = folder_.write("rows.csv", rows);
    return run({"train", "--data", "csv:" + file.string(), "--out", out(), "--threads", "1"});
  }

  TemporaryFolder folder_;
};

const Arguments shortest = {"--epochs", "0.1", "--nested-epochs", "0.1"};

TEST_F(Train, HelpListsTheOptions) {
  const Outcome help = run({"train", "--help"});
  expect_success(help);
  for (const char* option :
       {"--task",       "--data",   "--eval-data",        "--out",    "--method", "--scope",
        "--attention",  "--init",   "--layers",           "--width",  "--heads",  "--ffn",
        "--max-tokens", "--epochs", "--resume",           "--device", "--config", "--seed",
        "--threads",    "--json",   "HEADROOM_MAX_TOKENS"}) {
    expect_holds(help.out, option);
  }
}

TEST_F(Train, PrintsScoresOnStandardOutputAndTalksOnStandardError) {
  const Outcome& outcome = tiny_model().trained();
  const std::vector<Json> lines = json_lines(outcome);
  EXPECT_EQ(lines.size(), 4U);
  for (const Json& line : lines) expect_keys(line, {"budget", "accuracy", "model_macs_fraction"});
  expect_holds(outcome.err, "135 training rows, 15 validation");
}

TEST_F(Train, WritesAWholeCheckpointAndNothingBesideIt) {
  const fs::path model = tiny_model().model();
  for (const char* file : {"config.json", "model.safetensors", "vocab.txt", "README.md"}) {
    EXPECT_TRUE(fs::exists(model / file)) << file;
  }
  EXPECT_FALSE(fs::exists(model.string() + ".training"));
}

TEST_F(Train, MissingOutIsAUsageError) {
  expect_failure(run({"train", "--data", tiny_model().data()}), 2, "--out is required");
}

TEST_F(Train, MissingDataIsToldFirstExceptWhereRowsAreMade) {
  expect_failure(run({"train"}), 2, "--data is required");
  expect_failure(run({"train", "--task", "synthetic"}), 2, "--out is required");
}

TEST_F(Train, WhatThisVersionDoesNotHaveIsAUsageError) {
  expect_failure(
      train({"--method", "sparse"}), 2,
      "--method sparse is not supported; this version has: dense, nested, budgeted, static, "
      "adaptive");
  expect_failure(train({"--task", "speech"}), 2,
                 "--task speech is not supported; this version has: classify, pair, image, lm, "
                 "translate, synthetic");
  expect_failure(train({"--attention", "linear"}), 2,
                 "--attention linear is not supported; this version has: standard, optimized, "
                 "efficient, super");
}

TEST_F(Train, BadDataNamesTheFileAndTheLineAndLeavesNothingBehind) {
  expect_failure(run({"train", "--data", "csv:nowhere.csv", "--out", out()}), 2, "nowhere.csv");
  expect_failure(train_on(""), 3, "no rows");
  expect_failure(train_on("sport,goal\nmoney,bank,price\n"), 3, "line 2: expected 2 columns");
  EXPECT_FALSE(fs::exists(out()));
  EXPECT_FALSE(fs::exists(out().string() + ".training"));
}

TEST_F(Train, AnOutThatCannotBeWrittenIsARunTimeFailureBeforeTraining) {
  const auto file = folder_.write("file", "");
  const Outcome outcome = run(tiny_model().training(file / "out"));
  expect_failure(outcome, 1, "cannot write beside");
  EXPECT_EQ(outcome.err.find("stage"), std::string::npos) << outcome.err;
}

TEST_F(Train, AFolderThatIsNoCheckpointIsNotReplaced) {
  fs::create_directory(out());
  folder_.write("out/thesis.txt", "precious");
  expect_failure(train(shortest), 2, "is not a checkpoint");
  EXPECT_EQ(bytes_of(out() / "thesis.txt"), "precious");
  EXPECT_EQ(std::distance(fs::directory_iterator(out()), {}), 1);
}

TEST_F(Train, AFolderWithSomeoneElsesConfigIsNotReplaced) {
  fs::create_directory(out());
  folder_.write("out/config.json", "{\"name\": \"my app\"}");
  folder_.write("out/thesis.txt", "precious");
  expect_failure(train(shortest), 2, "is not a checkpoint");
  EXPECT_TRUE(fs::exists(out() / "thesis.txt"));
}

TEST_F(Train, AnEmptyOutIsAUsageError) {
  expect_failure(run(joined(tiny_model().training(""), shortest)), 2, "--out");
}

TEST_F(Train, IsNestedUnlessToldOtherwise) {
  const Outcome outcome = train(shortest);
  expect_success(outcome);
  expect_holds(outcome.err, "method nested, up to 12 tokens");
  EXPECT_EQ(only_json_line(run({"inspect", "--model", out(), "--json"}))["method"], "nested");
}

TEST_F(Train, ACheckpointIsReplacedOnlyWhereThatIsAskedFor) {
  fs::copy(tiny_model().model(), out());
  expect_failure(train(joined(shortest, {"--seed", "2"})), 2,
                 "holds a finished model: --restart replaces it");
  expect_success(train(joined(shortest, {"--seed", "2", "--restart"})));
  EXPECT_NE(bytes_of(out() / "model.safetensors"),
            bytes_of(fs::path(tiny_model().model()) / "model.safetensors"));
}

TEST_F(Train, WhatInitHasAndTheRunDoesNotKeepIsTold) {
  std::string content = separable_rows();
  for (size_t at = 0; (at = content.find("sport,", at)) != std::string::npos;) {
    content.replace(at, 5, "games");
  }
  const std::string rows = folder_.write("rows.csv", content);
  const Outcome outcome = run(joined({"train", "--data", rows, "--init", tiny_model().model(),
                                      "--out", out(), "--max-tokens", "512", "--threads", "1"},
                                     shortest));
  expect_success(outcome);
  expect_holds(outcome.err, "--max-tokens 512: " + tiny_model().model() + " reads at most 12");
  expect_holds(outcome.err,
               "is not kept: its labels (money, sport) are not those of the rows "
               "(games, money)");
}

TEST_F(Train, TheConfigFileGivesOptionsAndFlagsWin) {
  const std::string config = folder_.write(
      "options.json",
      R"({"ffn": 8, "layers": 2, "width": 8, "heads": 2, "method": "dense", "epochs": 0.1,)"
      R"( "max-tokens": 12, "threads": 1, "json": true})");
  const Outcome outcome = run({"train", "--data", tiny_model().data(), "--out", out(), "--config",
                               config, "--layers", "1"});
  expect_success(outcome);
  only_json_line(outcome);
  const Json model = only_json_line(run({"inspect", "--model", out(), "--json"}));
  EXPECT_EQ(model["ffn"], 8);
  EXPECT_EQ(model["method"], "dense");
  EXPECT_EQ(model["layers"], 1) << "the flag";
}

TEST_F(Train, ABadConfigFileIsAUsageErrorThatNamesWhatIsWrong) {
  const auto with_config = [&](const std::string& content) {
    return train({"--config", folder_.write("options.json", content)});
  };
  const Outcome unknown = with_config(R"({"frobnicate": 1})");
  expect_failure(unknown, 2, "frobnicate");
  EXPECT_EQ(unknown.err.find("INI"), std::string::npos) << "it is a JSON file: " << unknown.err;
  expect_failure(with_config(R"({"epochs": "many"})"), 2, "--epochs");
  expect_failure(with_config(R"({"epochs": )"), 2, "not valid JSON");
  expect_failure(train({"--config", "nowhere.json"}), 2, "nowhere.json");
}

TEST_F(Train, TheEnvironmentGivesOptionsAndTheFlagWins) {
  const ProcessInput given{"",
                           {{"HEADROOM_DATA_SPEC", tiny_model().data()},
                            {"HEADROOM_OUT", out()},
                            {"HEADROOM_METHOD", "dense"},
                            {"HEADROOM_EPOCHS", "0.1"},
                            {"HEADROOM_MAX_TOKENS", "10"},
                            {"HEADROOM_LAYERS", "3"},
                            {"HEADROOM_THREADS", "1"}}};
  expect_success(
      run({"train", "--layers", "1", "--width", "8", "--heads", "2", "--ffn", "8"}, given));
  const Json model = only_json_line(run({"inspect", "--model", out(), "--json"}));
  EXPECT_EQ(model["max_tokens"], 10);
  EXPECT_EQ(model["layers"], 1) << "the flag";
}

}  // namespace
}  // namespace headroom
