#include "experiments/claims/claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "base/file.h"
#include "experiments/claims/page.h"
#include "support.h"

namespace headroom {
namespace {
using testing::TemporaryFolder;

const std::filesystem::path stored = HEADROOM_SOURCE_DIR "/docs/results";

std::string claim_row(const std::string& page, int number) {
  const std::string start = "\n| " + std::to_string(number) + " | ";
  const size_t from = page.find(start);
  if (from == std::string::npos) return "";
  return page.substr(from + 1, page.find('\n', from + 1) - from - 1);
}

TEST(Claims, AreNumberedFromOneWithoutGaps) {
  int expected = 0;
  for (const Claim& claim : published_claims()) EXPECT_EQ(claim.number, ++expected);
  EXPECT_EQ(expected, 22);
}

TEST(Claims, TheStoredPageIsWhatTheStoredResultsSay) {
  const std::string page = claims_page(stored);
  EXPECT_EQ(page, read_file(stored / "README.md", ErrorCode::bad_data))
      << "run: headroom report --claims docs/results --out docs/results/README.md";
}

TEST(Claims, WithoutResultsOnlyWhatIsCountedIsJudged) {
  const TemporaryFolder empty;
  const std::string page = claims_page(empty.path());
  for (const Claim& claim : published_claims()) {
    const bool not_run = claim_row(page, claim.number).find("| not run |") != std::string::npos;
    EXPECT_EQ(not_run, claim.number != 19) << claim_row(page, claim.number);
  }
  EXPECT_NE(claim_row(page, 19).find("| reproduced |"), std::string::npos);
}

// Every arm gains what is given over Standard in each of two seeds, give or take a tenth.
ResultsFolder variants_folder(const std::string& task, const std::string& measure,
                              const std::map<std::string, double>& gains) {
  ResultsFolder folder;
  folder.name = "variants-" + task;
  folder.experiment = "variants";
  folder.task = task;
  for (const double seed : {1.0, 2.0}) {
    Json run = {{"task", task}, {"arms", Json::object()}};
    for (const auto& [arm, gain] : gains) {
      const Json point = {{"budget", 1.0}, {measure, 0.5 + 0.1 * seed + gain * (0.95 + seed / 30)}};
      run["arms"][arm] = {{"points", Json::array({point})}};
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

TEST(Claims, KindsOfAttentionAreJudgedByTheirGains) {
  const std::vector<Finding> findings =
      variants_findings(variants_folder("imdb32", "accuracy",
                                        {{"standard", 0},
                                         {"optimized", 0.001},
                                         {"efficient", -0.05},
                                         {"super", 0.1},
                                         {"standard-mixing", 0.2}}));
  EXPECT_EQ(find_claim(findings, 16)->verdict, Verdict::partly) << "Optimized holds, Efficient not";
  EXPECT_EQ(find_claim(findings, 17)->verdict, Verdict::partly)
      << "it beats Standard, but so does Standard with the matrix, and by more";
  EXPECT_EQ(find_claim(findings, 21), nullptr) << "no arm of as many parameters was run";
  EXPECT_NE(find_claim(findings, 17)->ours.find("+10.00 ±"), std::string::npos);
}

TEST(Claims, ALanguageModelsLossIsBetterWhenItIsLower) {
  const std::vector<Finding> findings = variants_findings(variants_folder(
      "shakespeare", "loss", {{"standard", 0}, {"super", -0.1}, {"standard-matched", 0.1}}));
  EXPECT_EQ(find_claim(findings, 21)->verdict, Verdict::reproduced);
}

TEST(Claims, GainsThatGrowWithSizeNeedThreeSizes) {
  std::vector<ResultsFolder> sizes = {
      variants_folder("imdb-small", "accuracy", {{"standard", 0}, {"super", 0.01}}),
      variants_folder("imdb-medium", "accuracy", {{"standard", 0}, {"super", 0.1}})};
  EXPECT_TRUE(size_findings(sizes).empty());
  sizes.push_back(variants_folder("imdb-large", "accuracy", {{"standard", 0}, {"super", 0.3}}));
  EXPECT_EQ(size_findings(sizes).at(0).verdict, Verdict::reproduced);
  std::swap(sizes[0].runs, sizes[2].runs);
  EXPECT_EQ(size_findings(sizes).at(0).verdict, Verdict::not_reproduced);
}

TEST(Claims, KindsUnderABudgetAreComparedUnderTheSameBudget) {
  const std::vector<Finding> findings = variants_findings(variants_folder(
      "agnews-budgets", "accuracy",
      {{"standard-none", 0}, {"standard-budgeted", 0.1}, {"efficient-budgeted", 0.15}}));
  EXPECT_EQ(find_claim(findings, 22)->verdict, Verdict::reproduced);
  EXPECT_NE(find_claim(findings, 22)->ours.find("efficient budgeted"), std::string::npos);
}

TEST(Claims, AMissingArmSaysNothingAboutItsClaim) {
  ResultsFolder folder = read_results(stored / "budgeted-agnews");
  for (Json& run : folder.runs) run["arms"].erase("recovery");
  for (const Finding& finding : budgeted_findings(folder)) EXPECT_NE(finding.claim, 5);
}

TEST(Claims, TheVerdictFollowsTheNumbers) {
  ResultsFolder folder = read_results(stored / "budgeted-synthetic");
  const auto verdict_on = [&](int claim) {
    for (const Finding& finding : budgeted_findings(folder)) {
      if (finding.claim == claim) return finding.verdict;
    }
    return Verdict::inconclusive;
  };
  EXPECT_EQ(verdict_on(1), Verdict::reproduced);
  for (Json& run : folder.runs) {
    for (Json& point : run["arms"]["budgeted"]["points"]) point["accuracy"] = 0.5;
  }
  EXPECT_EQ(verdict_on(1), Verdict::not_reproduced);
  EXPECT_EQ(verdict_on(2), Verdict::not_reproduced) << "now all seeds fail with a warm start";
}

}  // namespace
}  // namespace headroom
