// `report`: from a model and rows, from results, and the table of claims.
#include <gtest/gtest.h>

#include "base/files/file.h"
#include "checkpoint/exported_model.h"
#include "cli/contract.h"
#include "report/html_checks.h"

namespace headroom {
namespace {
using namespace testing;

class Report : public ::testing::Test {
 protected:
  Outcome report(const Arguments& more) const {
    Arguments all = {"report", "--out", out_, "--json"};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }

  Outcome report_on_rows(const std::string& rows, const Arguments& more) const {
    Arguments all = {"--model", write_nested(folder_).string(), "--data",
                     "csv:" + folder_.write("rows.csv", rows).string()};
    all.insert(all.end(), more.begin(), more.end());
    return report(all);
  }

  std::string page() const { return read_file(out_, ErrorCode::bad_data); }

  TemporaryFolder folder_;
  std::string out_ = (folder_.path() / "report.html").string();
};

const std::string stored_results = HEADROOM_SOURCE_DIR "/docs/results";

TEST_F(Report, OfAModelAndRowsIsOnePageThatAsksForNothing) {
  const Outcome outcome =
      report_on_rows("a,a b c\nb,b c d\na,c d e\n", {"--budgets", "1,0.5", "--rounds", "1"});
  expect_success(outcome);
  const Json line = only_json_line(outcome);
  expect_keys(line, {"out", "bytes", "chapters"});
  EXPECT_EQ(line["chapters"][0]["title"], "model on csv:rows.csv");
  expect_self_contained(page());
  EXPECT_TRUE(has_section(page(), "Accuracy against time"));
  expect_holds(page(), "headroom report --out");
}

TEST_F(Report, RowsThatLookLikeMarkupStayTexts) {
  const std::string rows = "a,<script>alert(1)</script>\nb,\"&lt;b&gt; \"\"<img src=x>\"\"\"\n";
  expect_success(report_on_rows(rows, {"--rounds", "0"}));
  expect_self_contained(page());
  EXPECT_EQ(page().find("<script"), std::string::npos);
  EXPECT_EQ(page().find("<img"), std::string::npos);
}

TEST_F(Report, WithoutRoundsNothingIsTimed) {
  expect_success(report_on_rows("a,a b\nb,b c\n", {"--rounds", "0"}));
  EXPECT_FALSE(has_section(page(), "Accuracy against time"));
}

TEST_F(Report, WhatCannotBeReportedIsToldAndNothingIsWritten) {
  const auto refused = [&](const Arguments& arguments, int code, std::string_view why) {
    const Outcome outcome = report(arguments);
    EXPECT_EQ(outcome.exit_code, code) << transcript(outcome);
    expect_holds(outcome.out, why);
    EXPECT_FALSE(std::filesystem::exists(out_));
  };
  const std::string model = write_nested(folder_).string();
  refused({}, 2, "--results");
  refused({"--model", model}, 2, "--model needs --data");
  refused({"--model", model, "--claims", stored_results}, 2, "--claims alone");
  refused({"--model", model, "--data", "csv:nowhere.csv"}, 2, "nowhere.csv");
}

// What experiments say is read by headroom-train; whoever types the command sees no difference.
using ResultsReport = Report;

TEST_F(ResultsReport, HasAChapterPerFolder) {
  const Outcome outcome = report({"--results", stored_results + "/nested-agnews", "--results",
                                  stored_results + "/budgeted-synthetic/"});
  expect_success(outcome);
  const Json chapters = only_json_line(outcome)["chapters"];
  ASSERT_EQ(chapters.size(), 2U);
  EXPECT_EQ(chapters[1]["title"], "budgeted on synthetic");
  expect_self_contained(page());
  expect_holds(page(), "headroom report --out");
}

TEST_F(ResultsReport, MayFollowAModelOnTheSamePage) {
  const Outcome outcome = report_on_rows(
      "a,a b c\nb,b c d\n", {"--rounds", "0", "--results", stored_results + "/nested-agnews"});
  expect_success(outcome);
  const Json chapters = only_json_line(outcome)["chapters"];
  ASSERT_EQ(chapters.size(), 2U);
  EXPECT_EQ(chapters[0]["title"], "model on csv:rows.csv");
  EXPECT_EQ(chapters[1]["title"], "nested on agnews");
  expect_self_contained(page());
  EXPECT_TRUE(has_section(page(), "Confusion matrix"));
}

TEST_F(ResultsReport, OfClaimsIsTheStoredTable) {
  expect_success(report({"--claims", stored_results}));
  EXPECT_EQ(page(), read_file(stored_results + "/README.md", ErrorCode::bad_data));
}

TEST_F(ResultsReport, WhatIsNotThereIsTold) {
  for (const char* option : {"--results", "--claims"}) {
    const Outcome outcome = report({option, "nowhere"});
    EXPECT_EQ(outcome.exit_code, 3) << transcript(outcome);
    expect_holds(outcome.out, "nowhere");
    EXPECT_FALSE(std::filesystem::exists(out_));
  }
}

}  // namespace
}  // namespace headroom
