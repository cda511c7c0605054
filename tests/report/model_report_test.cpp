#include "report/model_report.h"

#include <gtest/gtest.h>

#include "report/html_checks.h"

namespace headroom::report {
namespace {
using testing::expect_self_contained;
using testing::has_section;

const std::string hostile = "<script>alert(1)</script>";

BudgetAnswers at_budget(double budget, std::vector<int32_t> labels,
                        const std::vector<int32_t>& truth) {
  BudgetAnswers at;
  double hits = 0;
  for (size_t row = 0; row < truth.size(); ++row) {
    hits += labels[row] == truth[row] ? 1 : 0;
    at.probabilities.push_back(0.5F + 0.1F * static_cast<float>(row));
  }
  at.score.budget = budget;
  at.score.model_macs_fraction = budget;
  at.score.examples = static_cast<int64_t>(truth.size());
  at.score.accuracy = hits / static_cast<double>(truth.size());
  at.score.parameters = 1000;
  at.labels = std::move(labels);
  return at;
}

// Row 1 is spoiled by the smaller budget, row 2 mended, row 3 wrong in two ways.
ModelAnswers four_rows() {
  const std::vector<int32_t> truth = {0, 0, 1, 2};
  return {{"sport", hostile, "money"},
          truth,
          {at_budget(0.5, {0, 1, 1, 0}, truth), at_budget(1, {0, 0, 0, 1}, truth)},
          [](size_t row) { return "text " + std::to_string(row) + hostile; }};
}

Json cell(double budget, double ms) {
  return {{"engine", "native"}, {"batch", 1},         {"tokens", 9},  {"budget", budget},
          {"median_ms", ms},    {"p10_ms", ms},       {"p90_ms", ms}, {"speedup", 4 / ms},
          {"speedup_cap", 2.0}, {"precision", "fp32"}};
}

MeasuredModel measured() {
  MeasuredModel model;
  model.name = "news" + hostile;
  model.data = "csv:" + hostile;
  model.precision = "fp32";
  model.description = {{"model", ""}, {{"method", hostile}}};
  model.shape.layers = 2;
  model.shape.heads = 4;
  model.shape.ffn = 64;
  model.ordered = true;
  const UnitOrder order = uniform_order(model.shape, 8);
  const auto keep = [order, shape = model.shape](double budget) {
    // Budget 1 is everything, said without a list of neurons.
    return budget == 1 ? all_heads(shape.layers, shape.heads) : select_units(order, shape, budget);
  };
  model.selections = {keep, 8};
  model.answers = four_rows();
  model.timing = {{"threads", 1},
                  {"machine", {{"cpu", "a CPU " + hostile}}},
                  {"cells", {cell(0.5, 2.5), cell(1.0, 4.0)}}};
  model.commands = {{"headroom report --data " + hostile, ""}};
  return model;
}

std::string page_about(const MeasuredModel& model) {
  return write_html({"title", "made", {model_chapter(model, 5)}});
}

TEST(Confusion, CountsAnswersByTrueLabel) {
  const ModelAnswers answers = four_rows();
  EXPECT_EQ(confusion(answers, answers.full()), (Confusion{{2, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
}

TEST(LabelChanges, AreTheRowsWhoseAnswerDependsOnTheBudget) {
  const std::vector<LabelChange> changes = label_changes(four_rows());
  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].row, 1U);
  EXPECT_TRUE(changes[0].right_at_full && !changes[0].right_at_smallest);
  EXPECT_TRUE(!changes[1].right_at_full && changes[1].right_at_smallest);
  EXPECT_TRUE(!changes[2].right_at_full && !changes[2].right_at_smallest);
}

TEST(LabelChanges, ExamplesAreAsManyAsAskedForAndSaySinceWhen) {
  const std::string html = changes_section(four_rows(), 1);
  EXPECT_NE(html.find("3 of 4 rows get another answer"), std::string::npos) << html;
  EXPECT_NE(html.find("text 1"), std::string::npos) << "spoiled ones come first";
  EXPECT_NE(html.find("✓ at 1: sport (60 % sure at 1)"), std::string::npos) << html;
  EXPECT_EQ(html.find("text 2"), std::string::npos);
}

TEST(LabelChanges, OneBudgetCannotChangeAnything) {
  ModelAnswers answers = four_rows();
  answers.budgets.pop_back();
  EXPECT_EQ(changes_section(answers, 5), "");
}

TEST(ModelReport, HasEverySectionAndAsksForNothing) {
  const std::string page = page_about(measured());
  expect_self_contained(page);
  for (const char* title :
       {"At a glance", "Accuracy against compute", "Accuracy against time",
        "How much of the cap is reached", "When units come alive", "Confusion matrix",
        "Answers that change with the budget", "Parameters, bytes, memory", "Commands"}) {
    EXPECT_TRUE(has_section(page, title)) << title;
  }
}

TEST(ModelReport, TextsLabelsAndPathsAreNeverMarkup) {
  EXPECT_EQ(page_about(measured()).find("<script"), std::string::npos);
}

TEST(ModelReport, SaysHowMuchOfTheCapIsReached) {
  const std::string page = page_about(measured());
  EXPECT_NE(page.find("ran 1.60 times as fast"), std::string::npos);
  EXPECT_NE(page.find("80 % of the cap is reached"), std::string::npos);
}

TEST(ModelReport, SaysWhenTheMachineWasBusy) {
  MeasuredModel model = measured();
  EXPECT_EQ(page_about(model).find("with care"), std::string::npos);
  model.timing["cells"][0]["p90_ms"] = 9;
  EXPECT_NE(page_about(model).find("with care"), std::string::npos);
}

TEST(ModelReport, WithoutTimesThereIsNoPartAboutThem) {
  MeasuredModel model = measured();
  model.timing = Json::object();
  const std::string page = page_about(model);
  expect_self_contained(page);
  EXPECT_FALSE(has_section(page, "Accuracy against time"));
  EXPECT_FALSE(has_section(page, "How much of the cap is reached"));
}

TEST(ModelReport, AModelWithoutBudgetsHasNothingThatComesAlive) {
  MeasuredModel model = measured();
  model.ordered = false;
  model.answers.budgets.erase(model.answers.budgets.begin());
  const std::string page = page_about(model);
  EXPECT_FALSE(has_section(page, "When units come alive"));
  EXPECT_FALSE(has_section(page, "Answers that change with the budget"));
  EXPECT_TRUE(has_section(page, "Confusion matrix"));
}

TEST(ModelReport, ManyLabelsAreListedAsMistakesInsteadOfAMap) {
  MeasuredModel model = measured();
  for (int label = 3; label < 150; ++label) {
    model.answers.labels.push_back("label " + std::to_string(label));
  }
  const std::string html = confusion_section(model.answers);
  EXPECT_EQ(html.find("<svg"), std::string::npos);
  EXPECT_NE(html.find("The most frequent mistakes"), std::string::npos);
}

// A tagger's scores at two budgets: rows without one label, so without answers.
MeasuredModel measured_tags() {
  MeasuredModel model = measured();
  model.answers = {{"O", "B-PER"}, {}, {}, {}};
  for (const double budget : {0.5, 1.0}) {
    BudgetAnswers at;
    at.score = at_budget(budget, {0}, {0}).score;
    at.score.measure = Measure::named;
    at.score.measures = {{"f1", 0.8 * budget}, {"precision", 0.9}, {"recall", 0.7 * budget}};
    model.answers.budgets.push_back(at);
  }
  return model;
}

TEST(ModelReport, OtherTasksHaveTheCurveOfWhatTheyAreJudgedBy) {
  const std::string page = page_about(measured_tags());
  expect_self_contained(page);
  for (const char* title :
       {"f1 against compute", "f1 against time", "Measures by budget",
        "How much of the cap is reached", "When units come alive", "Parameters, bytes, memory"}) {
    EXPECT_TRUE(has_section(page, title)) << title;
  }
  EXPECT_FALSE(has_section(page, "Confusion matrix"));
  EXPECT_FALSE(has_section(page, "Answers that change with the budget"));
  EXPECT_EQ(page.find("ccuracy"), std::string::npos) << "nobody measured one";
}

TEST(ModelReport, EveryMeasureOfABudgetIsInOneTable) {
  const std::string page = page_about(measured_tags());
  for (const char* cell : {">f1</th>", ">precision</th>", ">recall</th>", ">0.4000</td>",
                           ">0.9000</td>", ">0.3500</td>"}) {
    EXPECT_NE(page.find(cell), std::string::npos) << cell;
  }
  EXPECT_NE(page.find("Drift of scores with the budget"), std::string::npos);
}

TEST(ModelReport, ScoresDriftByTheOrderOfTheirRows) {
  MeasuredModel model = measured_tags();
  for (BudgetAnswers& at : model.answers.budgets) {
    at.score.measures = {{"ndcg", 0.5}, {"rank_correlation", at.score.budget}};
  }
  const std::string page = page_about(model);
  EXPECT_TRUE(has_section(page, "ndcg against compute"));
  EXPECT_NE(page.find("changes places"), std::string::npos);
}

TEST(ModelReport, RungZeroAndAutoStandBesideTheCurve) {
  MeasuredModel model = measured();
  BudgetScore zero = model.answers.smallest().score;
  zero.budget = 0;
  zero.accuracy = 0.25;
  zero.model_macs_fraction = 0.001;
  BudgetScore automatic = model.answers.full().score;
  automatic.automatic = true;
  automatic.budget = 0.3125;
  model.ladder = {zero, automatic};
  const std::string page = page_about(model);
  for (const char* shown :
       {"rung zero alone (budget 0)", "budget auto", ">25.00 % (", ">auto (0.312)<"}) {
    EXPECT_NE(page.find(shown), std::string::npos) << shown;
  }
}

}  // namespace
}  // namespace headroom::report
