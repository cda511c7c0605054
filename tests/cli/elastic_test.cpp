// `elastic`: a dense model and texts in, a model with budgets out; and a run that is killed.
#include <gtest/gtest.h>

#include <csignal>

#include "cli/tiny_model.h"

namespace headroom {
namespace {
using namespace testing;
namespace fs = std::filesystem;

class ElasticVerb : public TrainingHalf {
 protected:
  void SetUp() override {
    TrainingHalf::SetUp();
    if (IsSkipped()) return;
    expect_success(run(joined(tiny_model().training(dense()),
                              {"--method", "dense", "--epochs", "3", "--lr", "0.01"})));
  }
  // 216 different ones; the rows of tiny_model() are 50.
  std::string texts() const {
    const std::vector<std::string> words = {"goal", "team", "match", "market", "stock", "bank"};
    std::string lines;
    for (size_t i = 0; i < 216; ++i) {
      lines += words[i % 6] + " " + words[i / 6 % 6] + " " + words[i / 36] + "\n";
    }
    return folder_.write("texts.txt", lines).string();
  }
  fs::path dense() const { return folder_.path() / "dense"; }
  fs::path out() const { return folder_.path() / "out"; }
  fs::path state() const { return folder_.path() / "out.training" / "state"; }
  Arguments elastic(const fs::path& target, const Arguments& more = {}) const {
    return joined({"elastic", "--model", dense().string(), "--texts", texts(), "--out",
                   target.string(), "--epochs", "8", "--lr", "0.01", "--threads", "1"},
                  more);
  }
  TemporaryFolder folder_;
};

TEST_F(ElasticVerb, TellsAgreementAndCostAtEveryBudget) {
  const Outcome outcome = run(elastic(out(), {"--json", "--budgets", "0.5,1"}));
  const std::vector<Json> lines = json_lines(outcome);
  ASSERT_EQ(lines.size(), 2U);
  for (const Json& line : lines) expect_keys(line, {"budget", "agreement", "model_macs_fraction"});
  EXPECT_GE(lines[0]["agreement"].get<double>(), 0.9);
  expect_holds(outcome.err, "held back");
  expect_success(run({"predict", "--model", out(), "--budget", "0.5", "--text", "goal team"}));
  expect_failure(run({"elastic", "--model", out(), "--texts", texts(), "--out",
                      (folder_.path() / "again").string()}),
                 2, "has budgets already");
}

TEST_F(ElasticVerb, KilledAndResumedEndsWithTheSameBytes) {
  const fs::path whole = folder_.path() / "whole";
  expect_success(run(elastic(whole)));
  Process process(elastic(out(), {"--save-seconds", "0"}));
  EXPECT_TRUE(process.wait_until([&] { return fs::exists(state() / "state.json"); }));
  process.send(SIGKILL);
  EXPECT_EQ(process.wait().signal, SIGKILL);
  EXPECT_FALSE(fs::exists(out()));
  const Outcome resumed = run(elastic(out(), {"--resume"}));
  expect_success(resumed);
  expect_holds(resumed.err, "resumed at step");
  EXPECT_EQ(bytes_of(out() / "model.safetensors"), bytes_of(whole / "model.safetensors"));
}

TEST_F(ElasticVerb, TooFewTextsAreBadData) {
  const fs::path file = folder_.write("few.txt", "one\ntwo\n");
  expect_failure(run({"elastic", "--model", dense(), "--texts", file, "--out", out()}), 3,
                 "has 2 different texts, at least 100 are needed");
}

}  // namespace
}  // namespace headroom
