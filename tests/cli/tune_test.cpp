// `tune`, from rows to answers that take what each text needs; what it proves and what it refuses.
#include <gtest/gtest.h>

#include "cli/tiny_model.h"

namespace headroom {
namespace {
using namespace testing;
namespace fs = std::filesystem;

class TuneVerb : public TrainingHalf {
 protected:
  void SetUp() override {
    TrainingHalf::SetUp();
    if (IsSkipped()) return;
    fs::copy(tiny_model().model(), model());
  }
  std::string model() const { return (folder_.path() / "model").string(); }
  Outcome tune(const Arguments& more) const {
    return run(joined({"tune", "--model", model(), "--budgets", "0.5,1", "--threads", "1"}, more));
  }
  // Of rows that the tiny model knows: enough to prove nine in ten.
  Outcome tuned(const Arguments& more = {}) const {
    return tune(joined({"--data", tiny_model().data(), "--agreement", "0.9"}, more));
  }
  fs::path texts() const {
    std::string lines;
    for (int i = 0; i < 20; ++i) lines += "the goal match team\nstock market bank\n";
    return folder_.write("texts.txt", lines);
  }

  TemporaryFolder folder_;
};

TEST_F(TuneVerb, StoresAPolicyThatEveryVerbKnows) {
  const Json policy = only_json_line(tuned({"--json"}));
  expect_keys(policy, {"promise", "rungs", "temperatures", "levels", "budgets"});
  EXPECT_EQ(policy["promise"]["kind"], "agreement");
  EXPECT_TRUE(fs::exists(fs::path(model()) / "policy.json"));
  EXPECT_TRUE(fs::exists(fs::path(model()) / "rung_zero.safetensors"));

  for (const Json& line :
       json_lines(run({"predict", "--model", model(), "--budget", "auto", "--json", texts()}))) {
    expect_keys(line, {"label", "budget", "rungs"});
    double spent = 0;
    for (const Json& rung : line["rungs"]) spent += rung.get<double>();
    EXPECT_EQ(line["budget"].get<double>(), spent);
  }
  const std::vector<Json> scores =
      json_lines(run({"eval", "--model", model(), "--data", tiny_model().data(), "--budgets",
                      "0,auto,1", "--json"}));
  ASSERT_EQ(scores.size(), 3U);
  EXPECT_EQ(scores[1]["budget"], "auto");
  EXPECT_GE(scores[1]["accuracy"].get<double>(), scores[2]["accuracy"].get<double>() - 0.1);
  expect_holds(run({"inspect", "--model", model()}).out, "agreement");
}

TEST_F(TuneVerb, ReportsShowRungZeroAndAuto) {
  expect_success(tuned());
  const std::string out = (folder_.path() / "report.html").string();
  const Arguments verb = {"report", "--model", model(),    "--data", tiny_model().data(),
                          "--out",  out,       "--rounds", "0"};
  expect_success(run(verb));
  for (const char* shown : {"rung zero alone", "budget auto", ">auto ("}) {
    expect_holds(bytes_of(out), shown);
  }
  expect_success(run(joined(verb, {"--budgets", "0.5,1"})));
  EXPECT_EQ(bytes_of(out).find("rung zero alone"), std::string::npos) << "not asked for";
}

TEST_F(TuneVerb, BenchMeasuresTheLadderOnTexts) {
  expect_success(tuned());
  const Arguments bench = {"bench", "--model",  model(), "--budgets", "0,0.5,auto", "--batch",
                           "1,8",   "--rounds", "2",     "--warmup",  "0"};
  const std::vector<Json> cells = json_lines(run(joined(bench, {"--texts", texts(), "--json"})));
  ASSERT_EQ(cells.size(), 8U) << "four budgets, 1 among them, at two batch sizes";
  EXPECT_EQ(cells[0]["budget"], 0.0);
  EXPECT_EQ(cells[2]["budget"], "auto");
  EXPECT_LE(cells[2]["mean_budget"].get<double>(), 1.5);
  EXPECT_LT(cells[0]["macs_fraction"].get<double>(), cells[1]["macs_fraction"].get<double>());
  for (const Json& cell : cells) EXPECT_GT(cell["median_ms"].get<double>(), 0);
  EXPECT_EQ(cells[3]["speedup"], 1.0);
  EXPECT_EQ(cells[7]["batch"], 8);
  expect_failure(run(bench), 2, "budgets auto and 0 need --texts FILE");
}

TEST_F(TuneVerb, WithoutLabelsAgreementCounts) {
  std::string lines;
  for (int i = 0; i < 200; ++i) {
    lines += std::string(i % 2 == 0 ? "the goal match team " : "the stock market bank ") +
             std::to_string(i) + "\n";
  }
  const fs::path file = folder_.write("unlabelled.txt", lines);
  const Json policy =
      only_json_line(tune({"--texts", file, "--agreement", "0.9", "--no-rung-zero", "--json"}));
  EXPECT_FALSE(policy["budgets"][0].contains("accuracy"));
  EXPECT_FALSE(fs::exists(fs::path(model()) / "rung_zero.safetensors"));
}

TEST_F(TuneVerb, TextsOfAJsonFileAreThoseOfItsRows) {
  std::string lines;
  std::string objects;
  for (int i = 0; i < 200; ++i) {
    const std::string text =
        (i % 2 == 0 ? "the goal match team " : "the stock market bank ") + std::to_string(i);
    lines += text + "\n";
    objects += Json{{"text", text}, {"label", i % 2 == 0 ? "sport" : "money"}}.dump() + "\n";
  }
  const auto policy_from = [&](const fs::path& file) {
    Json policy = only_json_line(tune({"--texts", file, "--agreement", "0.9", "--json"}));
    policy.erase("date");
    return policy;
  };
  EXPECT_EQ(policy_from(folder_.write("rows.jsonl", objects)),
            policy_from(folder_.write("rows.txt", lines)));
}

TEST_F(TuneVerb, APromiseThatTheRowsCannotProveIsUnreachable) {
  const Outcome outcome = tune({"--data", tiny_model().data(), "--agreement", "0.999"});
  expect_failure(outcome, 5, "rows");
  EXPECT_FALSE(fs::exists(fs::path(model()) / "policy.json"));
}

TEST_F(TuneVerb, AutoWithoutAPolicySaysWhatToDo) {
  expect_failure(run({"predict", "--model", model(), "--budget", "auto", texts()}), 2,
                 "run headroom tune");
}

TEST_F(TuneVerb, RowsAreNeeded) {
  expect_failure(tune({}), 2, "give rows: --data SPEC, or --texts FILE");
}

}  // namespace
}  // namespace headroom
