// `report`: from a model and rows, from results, and the table of claims.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/files/file.h"
#include "checkpoint/exported_model.h"
#include "cli/contract.h"
#include "hf_model.h"
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
  refused({"--model", model, "--data", "csv:nowhere.csv", "--budgets", "0,auto"}, 2,
          "a fraction of the model");
  refused({"--model", model, "--data", "csv:nowhere.csv", "--budgets", "0,1"}, 2, "headroom tune");
}

// Rows of every task but those with one label, for the models of tests/data/hf.
struct OtherOutput {
  const char* model;
  const char* rows;  // the data SPEC is "FORMAT:FILE" and what follows
  const char* format;
  const char* options;
  const char* headline;
};

class ReportOfOutput : public Report, public ::testing::WithParamInterface<OtherOutput> {};

TEST_P(ReportOfOutput, ShowsWhatEvalMeasures) {
  const OtherOutput& output = GetParam();
  const std::string model = (folder_.path() / "imported").string();
  expect_success(run({"import", "--from", hf_model_folder(output.model).string(), "--out", model}));
  const std::string data = std::string(output.format) + ":" +
                           folder_.write("rows", output.rows).string() + output.options;
  const Json score = only_json_line(run({"eval", "--model", model, "--data", data, "--json"}));
  expect_success(report({"--model", model, "--data", data, "--rounds", "1"}));
  expect_self_contained(page());
  for (const char* against : {" against compute", " against time"}) {
    EXPECT_TRUE(has_section(page(), output.headline + std::string(against))) << output.headline;
  }
  EXPECT_TRUE(has_section(page(), "Measures by budget"));
  EXPECT_FALSE(has_section(page(), "Confusion matrix"));
  for (const auto& [name, value] : score.items()) {
    if (name == "examples") break;
    if (name == "budget") continue;
    expect_holds(page(), name + "</th>");
    expect_holds(page(), fmt::format(">{:.4f}</td>", value.get<double>()));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Report, ReportOfOutput,
    ::testing::Values(
        OtherOutput{"bert-ner", "Angela B-PER\nMerkel I-PER\nvisited O\n\nParis B-LOC\nis O\n",
                    "conll", "", "f1"},
        OtherOutput{"bert-multilabel", "\"alpha,beta\",oil prices\ngamma,two dogs\n,nobody\n",
                    "csv", "", "f1"},
        // The ranker's one label is called so: rows that are labelled so are no classes either.
        OtherOutput{"bert-rerank", "1,who runs,two dogs run\n0,who runs,oil prices\n", "csv",
                    "?text=2&text_pair=3", "ndcg"},
        OtherOutput{"bert-embed-mean",
                    "{\"label\": 1, \"text\": \"two dogs\", \"text_pair\": \"dogs\"}\n"
                    "{\"label\": 0, \"text\": \"oil\", \"text_pair\": \"nobody\"}\n",
                    "jsonl", "", "spearman"}),
    [](const auto& output) {
      std::string name = output.param.model;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST_F(Report, ARankersLabelIsNoClass) {
  const std::string model = (folder_.path() / "imported").string();
  expect_success(
      run({"import", "--from", hf_model_folder("bert-rerank").string(), "--out", model}));
  const std::string rows = folder_.write("rows.csv", "LABEL_0,who runs,two dogs\n").string();
  expect_json_error(report({"--model", model, "--data", "csv:" + rows + "?text=2&text_pair=3"}), 3,
                    "bad_data", "LABEL_0");
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
