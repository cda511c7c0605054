#include "checkpoint/score_file.h"

#include <gtest/gtest.h>

#include "base/files/file.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

BudgetScore score_of(double budget, double accuracy) {
  BudgetScore score;
  score.budget = budget;
  score.accuracy = accuracy;
  score.loss = 0.25;
  score.examples = 7600;
  score.active_heads = budget;
  score.active_ffn = budget;
  score.model_macs = 1e8 * budget;
  score.model_macs_fraction = budget;
  score.parameters = 1000;
  return score;
}

SavedScores news_scores() {
  return {"agnews:test", "fp32", "2026-01-02", {score_of(0.5, 0.92), score_of(1, 0.93)}};
}

// What is wrong when one value of a good file is exchanged for another.
void expect_damage(const std::string& good, const std::string& bad, std::string_view complaint) {
  const TemporaryFolder folder;
  write_scores(folder.path(), news_scores());
  std::string content = read_file(folder.path() / "scores.json", ErrorCode::bad_model);
  ASSERT_NE(content.find(good), std::string::npos) << content;
  folder.write("scores.json", content.replace(content.find(good), good.size(), bad));
  expect_error(ErrorCode::bad_model, complaint, [&] { read_scores(folder.path()); });
}

TEST(ScoreFile, IsNotThereUntilSomethingIsStored) {
  const TemporaryFolder folder;
  EXPECT_FALSE(read_scores(folder.path()));
}

TEST(ScoreFile, ReadsBackWhatWasWritten) {
  const TemporaryFolder folder;
  write_scores(folder.path(), news_scores());
  const SavedScores scores = read_scores(folder.path()).value();
  EXPECT_EQ(scores.data, "agnews:test");
  EXPECT_EQ(scores.precision, "fp32");
  EXPECT_EQ(scores.date, "2026-01-02");
  ASSERT_EQ(scores.curve.size(), 2U);
  EXPECT_EQ(to_json(scores.curve[0]), to_json(score_of(0.5, 0.92)));
  EXPECT_EQ(to_json(scores.curve[1]), to_json(score_of(1, 0.93)));
}

TEST(ScoreFile, KeepsTheMeasuresOfTasksThatHaveOthers) {
  const TemporaryFolder folder;
  BudgetScore tags = score_of(1, 0);
  tags.measure = Measure::named;
  tags.measures = {{"f1", 0.84}, {"accuracy", 0.97}};
  write_scores(folder.path(), {"conll2003:test", "fp32", "2026-01-02", {tags}});
  const BudgetScore back = read_scores(folder.path())->curve.at(0);
  EXPECT_EQ(back.measures, tags.measures);
  EXPECT_EQ(measure_title(back), "f1");
  EXPECT_EQ(to_json(back), to_json(tags));
}

TEST(ScoreFile, BudgetsRiseAndComeOnceHoweverTheyWereGiven) {
  const TemporaryFolder folder;
  SavedScores scores = news_scores();
  scores.curve = {score_of(1, 0.93), score_of(0.25, 0.9), score_of(1, 0.93)};
  write_scores(folder.path(), scores);
  const std::vector<BudgetScore> curve = read_scores(folder.path())->curve;
  ASSERT_EQ(curve.size(), 2U);
  EXPECT_EQ(curve[0].budget, 0.25);
  EXPECT_EQ(curve[1].budget, 1.0);
}

TEST(ScoreFile, MeasuringAgainReplacesTheOldCurve) {
  const TemporaryFolder folder;
  write_scores(folder.path(), news_scores());
  write_scores(folder.path(), {"csv:rows.csv", "int8", "2026-01-03", {score_of(1, 0.5)}});
  EXPECT_EQ(read_scores(folder.path())->data, "csv:rows.csv");
  EXPECT_EQ(read_scores(folder.path())->curve.size(), 1U);
}

TEST(ScoreFile, ADamagedFileIsABadModelThatSaysWhatIsWrong) {
  expect_damage("\"date\"", "\"day\"", "date is missing");
  expect_damage("0.92", "92.0", "accuracy is 92.0, expected a number from 0 to 1");
  expect_damage("7600", "0", "examples is 0");
  expect_damage("7600", "760", "different numbers of examples");
  expect_damage("\"budget\": 0.5", "\"budget\": 1.0", "budgets that do not rise");
  expect_damage("\"curve\": [", "\"curve\": [], \"more\": [", "curve is empty");
  expect_damage("{", "", "scores.json");
}

}  // namespace
}  // namespace headroom
