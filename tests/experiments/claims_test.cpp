#include "experiments/claims/claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/files/file.h"
#include "experiments/claims/missing.h"
#include "experiments/claims/page.h"
#include "support.h"

namespace headroom::experiments {
namespace {
using testing::TemporaryFolder;

const std::filesystem::path stored = HEADROOM_SOURCE_DIR "/docs/results";

TEST(Claims, AreNumberedFromOneWithoutGaps) {
  int expected = 0;
  for (const Claim& claim : published_claims()) EXPECT_EQ(claim.number, ++expected);
  EXPECT_EQ(expected, 22);
}

TEST(Claims, BelongToPapersAndToTasksOfExperiments) {
  for (const Claim& claim : published_claims()) {
    const auto named = [&](const Paper& paper) { return paper.id == claim.paper; };
    EXPECT_TRUE(std::any_of(papers().begin(), papers().end(), named)) << claim.paper;
    EXPECT_EQ(claim.experiment.empty(), claim.tasks.empty()) << claim.number;
  }
}

TEST(Claims, TheStoredPagesAreWhatTheStoredResultsSay) {
  const ClaimPages pages = claim_pages(stored);
  const char* advice = "run: headroom report --claims docs/results --out docs/results/README.md";
  EXPECT_EQ(pages.matrix, read_file(stored / "README.md", ErrorCode::bad_data)) << advice;
  ASSERT_EQ(pages.claims.size(), published_claims().size() + 2) << "verdicts.md, missing.md";
  for (const auto& [file, text] : pages.claims) {
    EXPECT_EQ(text, read_file(stored / file, ErrorCode::bad_data)) << advice;
  }
}

// No cell longer than a sentence: what is found stands in the text of a claim's page.
TEST(Claims, TheMatrixHasShortCells) {
  std::istringstream lines(claim_pages(stored).matrix);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("|")) continue;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '|');) EXPECT_LT(cell.size(), 100U) << cell;
  }
}

TEST(Claims, WithoutResultsOnlyWhatIsCountedIsJudged) {
  const TemporaryFolder empty;
  const ClaimPages pages = claim_pages(empty.path());
  for (size_t i = 0; i < published_claims().size(); ++i) {
    const bool not_run = pages.claims[i].text.find("Not run.") != std::string::npos;
    EXPECT_EQ(not_run, i + 1 != 19) << pages.claims[i].text;
  }
  EXPECT_NE(pages.claims[18].text.find("counted: reproduced"), std::string::npos);
}

ResultsFolder two_seeds(const std::vector<std::string>& commits_of_second) {
  ResultsFolder folder;
  folder.name = "budgeted-agnews";
  folder.experiment = "budgeted";
  folder.task = "agnews";
  folder.runs.resize(2);
  for (Record& run : folder.runs) run.commit = "aaaa";
  for (const char* arm : {"dense", "budgeted"}) folder.runs[0].arm(arm).commit = "aaaa";
  const char* arms[] = {"dense", "budgeted"};
  for (size_t i = 0; i < commits_of_second.size(); ++i) {
    folder.runs[1].arm(arms[i]).commit = commits_of_second[i];
  }
  return folder;
}

TEST(Missing, NothingWhereOneCommitMadeAllArmsOfAllSeeds) {
  const ResultsFolder folder = two_seeds({"aaaa", "aaaa"});
  EXPECT_EQ(provenance_gap(folder), "");
  EXPECT_TRUE(partial_arms(folder).empty());
}

TEST(Missing, CommitsThatDifferOrThatNobodyHas) {
  EXPECT_EQ(provenance_gap(two_seeds({"aaaa", "bbbb"})), "of aaaa, bbbb");
  EXPECT_NE(provenance_gap(two_seeds({"aaaa", "aaaa-dirty"})).find("not a commit others have"),
            std::string::npos);
  ResultsFolder old = two_seeds({"", ""});
  old.runs[1].commit = "";
  EXPECT_EQ(provenance_gap(old), "1 of 2 seeds name no commit");
}

TEST(Missing, ReproduceWarnsBeforeItTrainsWhatWillNotCount) {
  EXPECT_EQ(commit_warning("aaaa"), "");
  EXPECT_NE(commit_warning("aaaa-dirty").find("built from aaaa-dirty"), std::string::npos);
  EXPECT_NE(commit_warning("unknown").find("made again"), std::string::npos);
}

TEST(Missing, ArmsThatSomeSeedsLack) {
  EXPECT_EQ(partial_arms(two_seeds({"aaaa"})),
            (std::vector<std::string>{"budgeted (1 of 2 seeds)"}));
}

TEST(Missing, ThePageNamesUnrunDataSetsWithTheirCommand) {
  const TemporaryFolder empty;
  const ClaimPages pages = claim_pages(empty.path());
  ASSERT_EQ(pages.claims.back().file, "missing.md");
  EXPECT_NE(pages.claims.back().text.find(
                "headroom reproduce budgeted --task synthetic-hard --seeds 1,2,3,4,5"),
            std::string::npos);
}

TEST(Claims, StoredPagesHaveNoRestsOfRounding) {
  const ClaimPages pages = claim_pages(stored);
  for (const auto& [file, text] : pages.claims) {
    EXPECT_EQ(text.find("e-1"), std::string::npos) << file;
    EXPECT_EQ(text.find("| -0 "), std::string::npos) << file;
  }
}

TEST(Claims, VerdictsBeforeTheRuleAreCountedWithoutThoseChosenAfterwards) {
  const ClaimPages pages = claim_pages(stored);
  const auto page = std::find_if(pages.claims.begin(), pages.claims.end(),
                                 [](const auto& each) { return each.file == "verdicts.md"; });
  ASSERT_NE(page, pages.claims.end());
  EXPECT_NE(page->text.find(" of 85 verdicts change"), std::string::npos) << page->text;
}

TEST(Claims, WholeModelsInTheEngineSpeakAboutTime) {
  const TemporaryFolder folder;
  const auto cell = [](const char* kind, double ratio) {
    return Json{{"attention", kind}, {"over_standard", ratio}};
  };
  folder.write("attention-kinds.json",
               Json{{"date", "2026-11-18"},
                    {"commit", "aaaa"},
                    {"machine", {{"cpu", "a CPU"}}},
                    {"cells",
                     {cell("standard", 1), cell("efficient", 0.7), cell("efficient", 0.9),
                      cell("optimized", 0.95), cell("super", 1.2)}}}
                   .dump());
  const std::string page = claim_pages(folder.path()).claims[19].text;
  EXPECT_NE(page.find("### whole models: partly"), std::string::npos) << page;
  EXPECT_NE(page.find("efficient 0.70 to 0.90"), std::string::npos) << page;
  EXPECT_NE(page.find("a CPU, 2026-11-18, commit aaaa"), std::string::npos) << page;
  EXPECT_NE(page.find("| below 1 | measured once | measured once | shown |"), std::string::npos)
      << page;
}

// Every arm gains what is given over Standard in each of two seeds, give or take a tenth.
ResultsFolder variants_folder(const std::string& task, PointField measure,
                              const std::map<std::string, double>& gains) {
  ResultsFolder folder;
  folder.name = "variants-" + task;
  folder.experiment = "variants";
  folder.task = task;
  for (const double seed : {1.0, 2.0}) {
    Record run;
    run.task = task;
    for (const auto& [arm, gain] : gains) {
      Point point;
      point.*measure = 0.5 + 0.1 * seed + gain * (0.95 + seed / 30);
      run.arm(arm).points = {point};
    }
    folder.runs.push_back(run);
  }
  return folder;
}

const Finding* find_claim(const std::vector<Finding>& findings, int number) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& f) { return f.claim == number; });
  return found == findings.end() ? nullptr : &*found;
}

// Of one folder alone.
Verdict verdict_on(const std::vector<Finding>& findings, int number) {
  const Claim& claim = claim_numbered(number);
  const Finding* found[] = {find_claim(findings, number)};
  std::vector<Verdict> verdicts;
  const std::vector<std::vector<Tails>> all = corrected_tails(claim, found);
  for (const Tails& tails : all[0]) verdicts.push_back(verdict_of(tails));
  return combined(verdicts, claim.combination);
}

TEST(Claims, KindsOfAttentionAreJudgedByTheirGains) {
  const std::vector<Finding> findings =
      variants::findings(variants_folder("imdb32", &Point::accuracy,
                                         {{"standard", 0},
                                          {"optimized", 0.001},
                                          {"efficient", -0.05},
                                          {"super", 0.1},
                                          {"standard-mixing", 0.2}}));
  EXPECT_EQ(verdict_on(findings, 16), Verdict::partly) << "Optimized holds, Efficient not";
  EXPECT_EQ(verdict_on(findings, 17), Verdict::partly)
      << "it beats Standard, but so does Standard with the matrix, and by more";
  EXPECT_EQ(find_claim(findings, 21), nullptr) << "the arm it is compared with was not run";
  EXPECT_NE(find_claim(findings, 17)->found.find("+10.00 ±"), std::string::npos);
}

TEST(Claims, ALanguageModelsLossIsBetterWhenItIsLower) {
  const std::vector<Finding> findings = variants::findings(variants_folder(
      "shakespeare", &Point::loss, {{"standard", 0}, {"super", -0.1}, {"standard-matched", 0.1}}));
  EXPECT_EQ(verdict_on(findings, 21), Verdict::reproduced);
}

TEST(Claims, GainsThatGrowWithSizeNeedThreeSizes) {
  std::vector<ResultsFolder> sizes = {
      variants_folder("imdb-small", &Point::accuracy, {{"standard", 0}, {"super", 0.01}}),
      variants_folder("imdb-medium", &Point::accuracy, {{"standard", 0}, {"super", 0.1}})};
  EXPECT_TRUE(variants::size_findings(sizes).empty());
  sizes.push_back(
      variants_folder("imdb-large", &Point::accuracy, {{"standard", 0}, {"super", 0.3}}));
  EXPECT_EQ(verdict_on(variants::size_findings(sizes), 18), Verdict::reproduced);
  std::swap(sizes[0].runs, sizes[2].runs);
  EXPECT_EQ(verdict_on(variants::size_findings(sizes), 18), Verdict::not_reproduced);
}

TEST(Claims, KindsUnderABudgetAreComparedUnderTheSameBudget) {
  const std::vector<Finding> findings = variants::findings(variants_folder(
      "agnews-budgets", &Point::accuracy,
      {{"standard-none", 0}, {"standard-budgeted", 0.1}, {"efficient-budgeted", 0.15}}));
  EXPECT_EQ(verdict_on(findings, 22), Verdict::reproduced);
  EXPECT_NE(find_claim(findings, 22)->found.find("efficient budgeted"), std::string::npos);
}

TEST(Claims, AMissingArmSaysNothingAboutItsClaim) {
  ResultsFolder folder = read_results(stored / "budgeted-agnews");
  for (Record& run : folder.runs) {
    std::erase_if(run.arms, [](const NamedArm& named) { return named.name == "recovery"; });
  }
  for (const Finding& finding : budgeted::findings(folder)) EXPECT_NE(finding.claim, 5);
}

TEST(Claims, TheVerdictFollowsTheNumbers) {
  ResultsFolder folder = read_results(stored / "budgeted-synthetic");
  const auto verdict = [&](int claim) { return verdict_on(budgeted::findings(folder), claim); };
  EXPECT_EQ(verdict(1), Verdict::reproduced);
  for (Record& run : folder.runs) {
    for (Point& point : run.arm("budgeted").points) point.accuracy = 0.5;
  }
  EXPECT_EQ(verdict(1), Verdict::not_reproduced);
  EXPECT_EQ(verdict(2), Verdict::inconclusive) << "three more seeds fail with a warm start";
}

}  // namespace
}  // namespace headroom::experiments
