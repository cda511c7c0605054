// `import`, and `export --format hf`: what they say and what they write.
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "checkpoint/exported_model.h"
#include "checkpoint/hf_fixture.h"
#include "cli/contract.h"

namespace headroom {
namespace {
using namespace testing;

class Import : public ::testing::Test {
 protected:
  Arguments import_arguments() const {
    return {"import", "--from", fixture_.path().string(), "--out", fixture_.out().string()};
  }

  HfFixture fixture_;
};

TEST_F(Import, TellsWhatItMade) {
  fixture_.write_all();
  Arguments arguments = import_arguments();
  arguments.emplace_back("--json");
  const Json line = only_json_line(run(arguments));
  expect_keys(line, {"out", "architecture", "task", "labels", "vocab_size", "lower_case",
                     "parameters", "notes"});
  EXPECT_EQ(line["architecture"], "BertForSequenceClassification");
  EXPECT_EQ(line["labels"], Json({"bad", "good"}));
  expect_holds(run(import_arguments()).out, "1 layers, width 4, 2 heads, FFN 6, 7 word pieces");
}

TEST_F(Import, WhatItMadeRuns) {
  fixture_.write_all();
  expect_success(run(import_arguments()));
  const std::string model = fixture_.out().string();
  expect_success(run({"inspect", "--model", model}));
  const Json answer = only_json_line(run({"predict", "--model", model, "--json"}, {"good\n", {}}));
  expect_keys(answer["scores"], {"bad", "good"});
  const auto rows = fixture_.folder().write("rows.csv", "good,good\nbad,good\n");
  const Json score =
      only_json_line(run({"eval", "--model", model, "--data", "csv:" + rows.string(), "--json"}));
  EXPECT_EQ(score["budget"], 1.0) << "the only one it has";
}

TEST_F(Import, ABareModelSaysWhatItIsFor) {
  fixture_.make_bare();
  fixture_.write_all();
  expect_holds(run(import_arguments()).out, "train --init");
  expect_failure(run({"predict", "--model", fixture_.out().string()}), 4, "has no labels");
}

TEST_F(Import, WhatIsNotKeptIsSaidOnStandardError) {
  fixture_.config["classifier_dropout"] = 0.5;
  fixture_.write_all();
  expect_holds(run(import_arguments()).err, "note: classifier_dropout = 0.5 is not kept");
}

TEST_F(Import, ABadFolderIsABadModel) {
  fixture_.config["model_type"] = "albert";
  fixture_.write_all();
  expect_failure(run(import_arguments()), 4, "model_type is \"albert\"");
  EXPECT_FALSE(std::filesystem::exists(fixture_.out()));
}

TEST_F(Import, ItsOptionsAreRequired) {
  expect_failure(run({"import", "--out", "x"}), 2, "--from is required");
  expect_failure(run({"import", "--from", "x"}), 2, "--out is required");
}

TEST_F(Import, TakesBackWhatWasExportedForTransformers) {
  const std::string model = write_nested(fixture_.folder()).string();
  const std::string exported = (fixture_.folder().path() / "exported").string();
  const Outcome outcome = run({"export", "--model", model, "--format", "hf", "--dense-equivalent",
                               "--budget", "0.5", "--out", exported, "--json"});
  const Json line = only_json_line(outcome);
  EXPECT_EQ(line["format"], "hf");
  EXPECT_EQ(line["dense_equivalent"], true);
  EXPECT_EQ(line["precision"], "fp32");
  expect_holds(outcome.err, "note: the words of this checkpoint are headroom's own");
  const std::string again = (fixture_.folder().path() / "again").string();
  expect_success(run({"import", "--from", exported, "--out", again}));
}

}  // namespace
}  // namespace headroom
