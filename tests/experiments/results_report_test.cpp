#include "experiments/summary/chapter.h"

#include <gtest/gtest.h>

#include "experiments/unknown_results.h"
#include "report/html_checks.h"

namespace headroom::experiments {
namespace {
using testing::expect_error;
using testing::expect_self_contained;
using testing::has_section;
using testing::TemporaryFolder;
using testing::write_unknown_results;

namespace fs = std::filesystem;

const fs::path stored = HEADROOM_SOURCE_DIR "/docs/results";

std::string page_about(const fs::path& folder) {
  return write_html({"title", "made", {results_chapter(read_results(folder))}});
}

TEST(ResultsReport, ABudgetedFolderShowsItsGates) {
  const std::string page = page_about(stored / "budgeted-agnews");
  expect_self_contained(page);
  for (const char* title :
       {"At a glance", "Accuracy against compute", "Paired differences", "Accuracy against time",
        "How much of the cap is reached", "When units come alive", "Gates", "Commands"}) {
    EXPECT_TRUE(has_section(page, title)) << title;
  }
}

TEST(ResultsReport, ANestedFolderHasNoGatesButParameters) {
  const std::string page = page_about(stored / "nested-agnews");
  expect_self_contained(page);
  EXPECT_FALSE(has_section(page, "Gates"));
  EXPECT_TRUE(has_section(page, "Parameters and bytes"));
  EXPECT_NE(page.find("4,596,868"), std::string::npos);
}

TEST(ResultsReport, AnAdaptiveFolderShowsWhatTextsChose) {
  const std::string page = page_about(stored / "adaptive-agnews-pretrained");
  expect_self_contained(page);
  EXPECT_TRUE(has_section(page, "Heads chosen per input"));
  EXPECT_NE(page.find("Share of heads by block and class"), std::string::npos);
  EXPECT_FALSE(has_section(page_about(stored / "nested-agnews"), "Heads chosen per input"));
}

TEST(ResultsReport, AFolderOfAttentionKindsShowsScoresMacsAndTime) {
  const std::string page = page_about(stored / "variants-imdb32");
  expect_self_contained(page);
  for (const char* title : {"Scores", "MACs of one layer", "Measured time", "Commands"}) {
    EXPECT_TRUE(has_section(page, title)) << title;
  }
  EXPECT_NE(page.find("standard with a mixing matrix"), std::string::npos);
  EXPECT_FALSE(has_section(page_about(stored / "variants-agnews"), "Measured time"))
      << "a layer's time depends on no task";
}

TEST(ResultsReport, AFolderOfKindsTimesBudgetsShowsItsTables) {
  const std::string page = page_about(stored / "variants-agnews-budgets");
  expect_self_contained(page);
  EXPECT_TRUE(has_section(page, "Heads kept, %"));
  EXPECT_TRUE(has_section(page, "Whole-model MACs, millions"));
}

TEST(ResultsReport, AnUnknownExperimentHasTheSectionsThatItsRunsAllow) {
  const TemporaryFolder folder;
  const std::string page = page_about(write_unknown_results(folder));
  expect_self_contained(page);
  EXPECT_TRUE(has_section(page, "Accuracy against compute"));
  EXPECT_FALSE(has_section(page, "Accuracy against time"));
  EXPECT_NE(page.find("compute: a &lt;b&gt; task"), std::string::npos);
  EXPECT_NE(page.find("run &lt;it&gt;"), std::string::npos);
}

TEST(ResultsFolder, RunsComeInTheOrderOfTheirSeeds) {
  const TemporaryFolder folder;
  const ResultsFolder results = read_results(write_unknown_results(folder));
  EXPECT_EQ(results.runs.at(0).seed, 1U);
  EXPECT_EQ(results.name, "other");
}

TEST(ResultsFolder, WhatIsMissingOrDamagedIsBadData) {
  const TemporaryFolder folder;
  const auto read = [&] { read_results(folder.path() / "other"); };
  expect_error(ErrorCode::bad_data, "results.json", read);
  write_unknown_results(folder);
  folder.write("other/runs/seed-1.json", "{");
  expect_error(ErrorCode::bad_data, "seed-1.json", read);
  folder.write("other/runs/seed-1.json", "{}");
  expect_error(ErrorCode::bad_data, "seed", read);
  fs::remove(folder.path() / "other/runs/seed-1.json");
  fs::remove(folder.path() / "other/runs/seed-2.json");
  expect_error(ErrorCode::bad_data, "holds no runs", read);
}

}  // namespace
}  // namespace headroom::experiments
