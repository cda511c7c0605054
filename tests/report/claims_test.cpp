#include "report/claims.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "report/claims_page.h"
#include "report/unknown_results.h"

namespace headroom {
namespace {
using testing::TemporaryFolder;
using testing::write_unknown_results;

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

TEST(Claims, AFolderThatNobodyReadsIsRunButNotJudged) {
  const TemporaryFolder folder;
  write_unknown_results(folder);
  const Json results = {{"experiment", "variants"}, {"task", "imdb32"}};
  folder.write("other/results.json", results.dump());
  EXPECT_NE(claim_row(claims_page(folder.path()), 17).find("run, not judged"), std::string::npos);
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
