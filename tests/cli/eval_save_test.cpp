// `eval --save`: the result stays beside the weights.
#include <gtest/gtest.h>

#include "checkpoint/exported_model.h"
#include "checkpoint/score_file.h"
#include "cli/contract.h"

namespace headroom {
namespace {
using namespace testing;

class EvalSave : public ::testing::Test {
 protected:
  Outcome evaluate(const Arguments& more) const { return evaluate(rows_, more); }

  Outcome evaluate(const std::filesystem::path& rows, const Arguments& more) const {
    Arguments all = {"eval", "--model", model_, "--data", "csv:" + rows.string()};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }

  TemporaryFolder folder_;
  std::string model_ = write_nested(folder_).string();
  std::filesystem::path rows_ = folder_.write("rows.csv", "a,a b c\nb,b c d\na,c d e\n");
};

TEST_F(EvalSave, WithoutTheFlagNothingIsWritten) {
  expect_success(evaluate({}));
  EXPECT_FALSE(read_scores(model_));
}

TEST_F(EvalSave, KeepsWhatItPrinted) {
  const Outcome outcome =
      evaluate({"--save", "--budgets", "1,0.5", "--precision", "int8", "--json"});
  expect_success(outcome);
  const std::vector<Json> printed = json_lines(outcome);
  const SavedScores saved = read_scores(model_).value();
  EXPECT_EQ(saved.data, "csv:rows.csv") << "without the folder";
  EXPECT_EQ(saved.precision, "int8");
  ASSERT_EQ(saved.curve.size(), 2U);
  EXPECT_EQ(to_json(saved.curve[0]), printed.at(1));
  EXPECT_EQ(to_json(saved.curve[1]), printed.at(0));
}

TEST_F(EvalSave, ABudgetOrARowThatIsWrongLeavesTheOldScores) {
  expect_success(evaluate({"--save", "--budgets", "1"}));
  expect_failure(evaluate({"--save", "--budgets", "2"}), 2, "2 is not a budget");
  expect_failure(evaluate("nowhere.csv", {"--save"}), 2, "nowhere.csv");
  EXPECT_EQ(read_scores(model_)->curve.size(), 1U);
}

}  // namespace
}  // namespace headroom
