// What needs no libtorch: the top level, `inspect` and `data`.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "checkpoint/checkpoint.h"
#include "cli/contract.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

// What `inspect` reads. The weights are a stand-in: it opens their file and counts from the config.
std::filesystem::path write_small_checkpoint(const TemporaryFolder& folder) {
  const Vocabulary vocabulary = Vocabulary::with_words({"goal", "bank"});
  ModelConfig config;
  config.shape = {.layers = 1,
                  .width = 16,
                  .heads = 2,
                  .ffn = 32,
                  .vocabulary = vocabulary.size(),
                  .positions = 12,
                  .labels = 2};
  config.method = Method::budgeted;
  config.labels = {"money", "sport"};
  config.gates = GateParameters{1, 2, {0.25, -0.25}, {unit_slope}};
  const std::vector<std::byte> weights(64);
  std::filesystem::path path = folder.path() / "model";
  write_checkpoint(path,
                   {config, vocabulary.to_text(), "", "", {{"w", DType::f32, {16}, weights}}});
  return path;
}

TEST(TopLevel, HelpListsEveryVerb) {
  const Outcome help = run({"--help"});
  expect_success(help);
  const Json described = parse_json(run({"--help-json"}).out, ErrorCode::runtime, "--help-json");
  for (const Json& verb : described.at("verbs")) {
    const std::string line = fmt::format("\n  {:<10} {}\n", verb.at("name").get<std::string>(),
                                         verb.at("summary").get<std::string>());
    const size_t at = help.out.find(line);
    EXPECT_NE(at, std::string::npos) << line << help.out;
    EXPECT_EQ(help.out.find(line, at + 1), std::string::npos) << "under one heading";
  }
  for (const char* part :
       {"Use a model:\n  predict ", "Train one:\n  train ", "For example:", "docs/README.md"}) {
    expect_holds(help.out, part);
  }
}

TEST(TopLevel, VersionIsOneLineOnStandardOutput) {
  const Outcome version = run({"--version"});
  expect_success(version);
  EXPECT_TRUE(version.out.starts_with("headroom ") && version.out.ends_with('\n')) << version.out;
}

TEST(TopLevel, NoVerbIsAUsageErrorWithTheHelpOnStandardError) {
  expect_failure(run({}), 2, "usage: headroom VERB");
}

TEST(TopLevel, AnUnknownVerbIsAUsageError) {
  expect_failure(run({"frobnicate"}), 2, "\"frobnicate\" is not a verb");
}

TEST(TopLevel, MistypedWordsGetTheNearest) {
  expect_failure(run({"predcit"}), 2, "is not a verb; did you mean predict. headroom --help");
  expect_failure(run({"predict", "--modle", "x"}), 2,
                 "--modle is not an option; did you mean --model. headroom predict --help");
  expect_failure(run({"eval", "--budget=1"}), 2, "did you mean --budgets.");
  expect_failure(run({"data", "chekc", "x"}), 2, "\"chekc\" is not one; did you mean check");
  expect_failure(run({"data"}), 2, "the commands of headroom data are list, check, get");
}

TEST(TopLevel, AnUnknownVerbWithJsonIsAJsonError) {
  expect_json_error(run({"frobnicate", "--json"}), 2, "usage", "\"frobnicate\" is not a verb");
}

TEST(Inspect, HelpListsItsOptions) {
  const Outcome help = run({"inspect", "--help"});
  expect_success(help);
  for (const char* option : {"--model", "--budgets", "--tokens", "--json", "HEADROOM_MODEL"}) {
    expect_holds(help.out, option);
  }
}

TEST(Inspect, HasTheKeysThatToolsRelyOn) {
  const TemporaryFolder folder;
  const Outcome outcome = run({"inspect", "--model", write_small_checkpoint(folder), "--json"});
  expect_success(outcome);
  EXPECT_EQ(outcome.err, "");
  const Json line = only_json_line(outcome);
  expect_keys(line, {"attention", "method", "scope", "layers", "width", "heads", "ffn",
                     "vocab_size", "labels", "parameters", "attention_parameters", "budgets"});
  EXPECT_EQ(line["labels"], Json({"money", "sport"}));
  ASSERT_FALSE(line["budgets"].empty());
  for (const Json& entry : line["budgets"]) {
    expect_keys(entry, {"budget", "active_heads", "model_macs_fraction"});
  }
  EXPECT_EQ(line["budgets"].back()["model_macs_fraction"], 1.0);
}

TEST(Inspect, WithoutJsonItIsATableForPeople) {
  const TemporaryFolder folder;
  const Outcome outcome = run({"inspect", "--model", write_small_checkpoint(folder)});
  expect_success(outcome);
  expect_holds(outcome.out, "active heads");
  EXPECT_EQ(outcome.err, "");
}

TEST(Inspect, TheEnvironmentGivesOptionsAndTheFlagWins) {
  const TemporaryFolder folder;
  const ProcessInput given{"",
                           {{"HEADROOM_MODEL", write_small_checkpoint(folder)},
                            {"HEADROOM_JSON", "1"},
                            {"HEADROOM_BUDGETS", "0.5"}}};
  EXPECT_EQ(only_json_line(run({"inspect"}, given))["budgets"][0]["budget"], 0.5);
  EXPECT_EQ(only_json_line(run({"inspect", "--budgets", "0.75"}, given))["budgets"][0]["budget"],
            0.75);
}

TEST(Inspect, AnErrorIsJsonAlsoWhenTheEnvironmentAsksForIt) {
  expect_json_error(run({"inspect", "--model", "nowhere"}, {"", {{"HEADROOM_JSON", "1"}}}), 4,
                    "bad_model", "nowhere");
}

TEST(Inspect, MissingRequiredOptionIsAUsageError) {
  expect_failure(run({"inspect"}), 2, "--model is required");
  expect_json_error(run({"inspect", "--json"}), 2, "usage", "--model is required");
}

TEST(Inspect, AnUnknownOptionIsAUsageErrorThatNamesIt) {
  expect_failure(run({"inspect", "--model", "nowhere", "--frobnicate"}), 2, "--frobnicate");
}

TEST(Inspect, WhatIsNoBudgetIsAUsageError) {
  const TemporaryFolder folder;
  const std::string model = write_small_checkpoint(folder);
  for (const char* bad : {"0", "1.5", "nan", "-0.5", "half", "0.5,"}) {
    expect_failure(run({"inspect", "--model", model, "--budgets", bad}), 2, "is not a budget");
  }
}

TEST(Inspect, AMissingModelIsABadModel) {
  expect_failure(run({"inspect", "--model", "nowhere"}), 4, "nowhere is not a directory");
  expect_json_error(run({"inspect", "--model", "nowhere", "--json"}), 4, "bad_model",
                    "nowhere is not a directory");
}

TEST(Inspect, ADamagedConfigIsABadModel) {
  const TemporaryFolder folder;
  const std::filesystem::path model = write_small_checkpoint(folder);
  folder.write("model/config.json", "{\"hidden_size\": ");
  expect_failure(run({"inspect", "--model", model}), 4, "config.json");
}

TEST(Inspect, ATruncatedWeightFileIsABadModel) {
  const TemporaryFolder folder;
  const std::filesystem::path model = write_small_checkpoint(folder);
  const auto weights = model / "model.safetensors";
  for (const uintmax_t size :
       {std::filesystem::file_size(weights) - 1, uintmax_t{40}, uintmax_t{4}, uintmax_t{0}}) {
    std::filesystem::resize_file(weights, size);
    expect_failure(run({"inspect", "--model", model}), 4, "model.safetensors");
  }
}

TEST(Data, HelpListsItsParts) {
  const Outcome help = run({"data", "--help"});
  expect_success(help);
  for (const char* part : {"list", "check", "get", "--data-dir", "--json"}) {
    expect_holds(help.out, part);
  }
}

TEST(Data, ListNamesEveryKnownSetAndWhatIsThere) {
  const TemporaryFolder empty;
  const Outcome outcome = run({"data", "list", "--data-dir", empty.path(), "--json"});
  expect_success(outcome);
  std::vector<std::string> names;
  for (const Json& line : json_lines(outcome)) {
    names.push_back(line.value("name", ""));
    EXPECT_FALSE(line["present"].value("train", true)) << "in an empty folder";
  }
  EXPECT_EQ(names.size(), 17U);
  EXPECT_EQ(names[0], "agnews");
  expect_holds(run({"data", "list"}).out, "wikitext2");
}

TEST(Data, CheckCountsRowsAndLabels) {
  const TemporaryFolder folder;
  const auto file = folder.write("rows.csv", "sport,goal\nmoney,bank\nsport,\"a, b\"\n");
  const Outcome outcome = run({"data", "check", "csv:" + file.string(), "--json"});
  expect_success(outcome);
  const Json line = only_json_line(outcome);
  EXPECT_EQ(line["rows"], 3);
  EXPECT_EQ(line["labels"], Json({{"money", 1}, {"sport", 2}}));
  expect_holds(run({"data", "check", "csv:" + file.string()}).out, "3 rows, 2 labels");
}

TEST(Data, CheckOfABadFileIsBadData) {
  const TemporaryFolder folder;
  const auto check = [&](const std::string& content) {
    return run({"data", "check", "csv:" + folder.write("rows.csv", content).string()});
  };
  expect_failure(check(""), 3, "no rows");
  expect_failure(check("a,b\nc,d,e\n"), 3, "line 2: expected 2 columns");
  expect_failure(check("a,\"b\n"), 3, "rows.csv");
  expect_failure(check("a,b\nc,\xff\n"), 3, "UTF-8");
  expect_failure(run({"data", "check", "csv:nowhere.csv"}), 2, "nowhere.csv");
}

TEST(Data, WhatIsNoSpecIsAUsageErrorThatListsTheForms) {
  expect_failure(run({"data", "check", "frobnicate"}), 2, "csv, tsv, jsonl");
  expect_failure(run({"data"}), 2, "the commands of headroom data are list, check, get");
  expect_json_error(run({"data", "get", "agnews", "--json"}), 2, "usage", "agnews");
}

}  // namespace
}  // namespace headroom
