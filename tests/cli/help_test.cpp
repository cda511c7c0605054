// Help that people read: values in words, groups, examples, experts' options behind --help-all.
#include <gtest/gtest.h>

#include "cli/contract.h"
#include "cli/tiny_model.h"

namespace headroom {
namespace {
using namespace testing;

std::string help(const std::string& verb, const std::string& flag = "--help") {
  const Outcome outcome = run({verb, flag});
  expect_success(outcome);
  EXPECT_EQ(outcome.err, "");
  return outcome.out;
}

void expect_lacks(const std::string& text, std::string_view fragment) {
  EXPECT_EQ(text.find(fragment), std::string::npos) << "text: " << text << "\nholds: " << fragment;
}

TEST(Help, EveryVerbHasExamplesAndReadableValues) {
  for (const char* verb : {"predict", "eval", "embed", "rerank", "bench", "calibrate", "tune",
                           "import", "export", "inspect", "tokenize", "data", "report"}) {
    const std::string text = help(verb);
    expect_holds(text, "usage: headroom " + std::string(verb));
    expect_holds(text, "Examples:\n  headroom " + std::string(verb));
    for (const char* type : {"FLOAT", "UINT", " in [", "NONNEGATIVE", "(Env:"}) {
      expect_lacks(text, type);
    }
  }
}

TEST(Help, ExpertsOptionsAreNamedAndToldByHelpAll) {
  const std::string text = help("predict");
  expect_lacks(text, "--beam");
  expect_holds(text, "Language models, translators");
  const std::string all = help("predict", "--help-all");
  expect_holds(all, "--beam N");
  expect_holds(all, "1 to 64; default 4;");
  expect_holds(all, "HEADROOM_BEAM");
}

TEST(Help, ChoicesAreListed) {
  expect_holds(help("predict"), "--precision auto|fp32|bf16|int8");
  expect_holds(help("predict"), "--aggregation simple|first|average|max");
}

class TrainHelp : public TrainingHalf {};

TEST_F(TrainHelp, NamesWhatInitChooses) {
  const std::string text = help("train");
  expect_holds(text, "usage: headroom train --data TEXT --out TEXT [options]");
  std::string words;  // as one line
  for (const char c : text) {
    const char shown = c == '\n' ? ' ' : c;
    if (shown != ' ' || !words.ends_with(' ')) words += shown;
  }
  expect_holds(words, "(default 64; with --init: all that --init reads)");
  expect_holds(words, "(default 3; with --init: chosen from rows and labels)");
  expect_holds(words, "(default head; with --init: auto)");
}

TEST(Help, RequiredOptionsHaveNoDefault) {
  expect_holds(help("plan"), "how many, such as 1e9 (required)");
}

TEST_F(TrainHelp, ShowsWhatMostPeopleNeed) {
  const std::string text = help("train");
  expect_lacks(text, "--tau-first");
  expect_lacks(text, "--mass-weight");
  expect_holds(text, "--method dense|nested");
  expect_holds(help("train", "--help-all"), "--tau-first");
  for (const char* verb : {"train", "pretrain", "reproduce"}) {
    expect_holds(help(verb), "Examples:\n  headroom " + std::string(verb));
  }
}

}  // namespace
}  // namespace headroom
