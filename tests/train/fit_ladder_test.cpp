// What a nested training stores for --budget auto, and that both engines score with it alike.
#include <gtest/gtest.h>

#include <algorithm>

#include "checkpoint/checkpoint.h"
#include "checkpoint/policy_file.h"
#include "checkpoint/small_policy.h"
#include "engine/session.h"
#include "support.h"
#include "train/checkpoint_model.h"
#include "train/evaluate/predictor.h"
#include "train/heads/fit_ladder.h"
#include "train/notes.h"
#include "train/reviews.h"
#include "train/tasks/tasks.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using testing::evaluate_at;
using testing::Notes;
using testing::request_for;
using testing::reviews;
using testing::spec_of;
using testing::TemporaryFolder;

// Reviews of which every tenth has the wrong label, so that nobody can be sure.
std::string doubtful_reviews(int rows, uint64_t seed) {
  std::string csv = reviews(rows, seed);
  size_t begin = csv.find('\n') + 1;
  for (int row = 0; row < rows; ++row) {
    const size_t comma = csv.find(',', begin);
    if (row % 10 == 3) csv.replace(begin, comma - begin, row % 2 == 0 ? "bad" : "good");
    begin = csv.find('\n', begin) + 1;
  }
  return csv;
}

class FitLadder : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = std::make_unique<TemporaryFolder>();
    test_csv = shared->write("test.csv", doubtful_reviews(200, 2));
    TrainRequest request = nested_request(shared->path() / "model", 1400);
    request.task.eval_data = spec_of(test_csv);
    report = train_model(request, told);
    model = request.out;
  }
  static void TearDownTestSuite() { shared.reset(); }

  static TrainRequest nested_request(const fs::path& out, int rows) {
    TrainRequest request = request_for(shared->write("train.csv", doubtful_reviews(rows, 1)), out);
    request.method = Method::nested;
    request.recipe.dense_epochs = request.recipe.nested_epochs = 1;
    request.recipe.nested_rate = 3e-3;
    request.task.validation_rows = rows / 2;
    return request;
  }

  static inline std::unique_ptr<TemporaryFolder> shared;
  static inline fs::path test_csv, model;
  static inline TrainReport report;
  static inline Notes told;
};

TEST_F(FitLadder, StoresAPolicyThatPromisesTheFullModelsLabels) {
  const StoredPolicy stored = read_policy(model, read_config(model));
  ASSERT_TRUE(stored.policy) << stored.note;
  EXPECT_TRUE(stored.rung_zero);
  EXPECT_EQ(stored.policy->promise, Promise::agreement);
  EXPECT_EQ(stored.policy->promised, 0.98) << "99 % takes 913 rows held back";
  EXPECT_EQ(stored.policy->fitted_rows, 700 - 456);
  EXPECT_EQ(stored.policy->checked_rows, 456);
  ASSERT_TRUE(report.policy);
  EXPECT_EQ(report.policy->rungs.size(), stored.policy->rungs.size());
}

TEST_F(FitLadder, ReportsTheScoresOfItsAnswers) {
  const std::vector<BudgetScore> scores = evaluate_at(model, spec_of(test_csv), {0.5, 1.0});
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(scores[i].accuracy, report.scores[i].accuracy);
    EXPECT_EQ(scores[i].loss, report.scores[i].loss);
  }
}

// By hand: what a training fits may be no say of rung zero at all.
Policy blending_policy() {
  return testing::two_rungs({{0, 1.4, 0, 0}, {0.25, 1.3, 0, 0.4}, {1, 1.2, 0, 0.6}});
}

TEST_F(FitLadder, BothEnginesScoreAlike) {
  const fs::path blending = shared->path() / "blending";
  fs::copy(model, blending, fs::copy_options::recursive);
  write_policy(blending, blending_policy(), read_policy(model, read_config(model)).rung_zero);
  Session session(EngineModel::load(blending));
  for (const double budget : {0.25, 0.6, 1.0}) {
    const Predictor predictor(blending, budget, 1, "cpu");
    for (const char* text : {"a superb story", "the actors was dull", "film", ""}) {
      const Answer native = session.run(std::span<const Text>({{text}}), Budget{budget})[0];
      const Answer torch = predictor.predict({text});
      ASSERT_EQ(native.scores.size(), torch.scores.size());
      for (size_t i = 0; i < native.scores.size(); ++i) {
        EXPECT_NEAR(native.scores[i], torch.scores[i], 1e-5) << text << " at " << budget;
      }
    }
  }
}

TEST_F(FitLadder, GivesTheSameBytesTwice) {
  Notes notes;
  const TrainRequest request = nested_request(shared->path() / "again", 1400);
  train_model(request, notes);
  const auto content = [](const fs::path& file) { return read_file(file, ErrorCode::runtime); };
  const auto undated = [&](const fs::path& folder) {
    Json json = Json::parse(content(folder / "policy.json"));
    json.erase("date");
    return json.dump();
  };
  EXPECT_EQ(undated(model), undated(request.out));
  EXPECT_EQ(content(model / "rung_zero.safetensors"),
            content(request.out / "rung_zero.safetensors"));
}

TEST_F(FitLadder, HoldsBackWhatCanProveALadderWhereRowsAreFewAndScoresThoseRows) {
  Notes notes;
  const TrainReport few = train_model(nested_request(shared->path() / "few", 500), notes);
  ASSERT_TRUE(few.policy);
  EXPECT_EQ(few.policy->promised, 0.97);
  EXPECT_EQ(few.policy->checked_rows, 125) << "99 prove it where none of them disagrees";
  EXPECT_TRUE(notes.hold("125 of the validation rows are held back"));
  EXPECT_EQ(few.scored_on, "held-back validation");
  EXPECT_EQ(few.scores[0].examples, 125);
}

std::vector<std::vector<int32_t>> rows_of(const EncodedDataset& data) {
  std::vector<std::vector<int32_t>> rows;
  for (int64_t i = 0; i < data.size(); ++i) {
    rows.emplace_back(data.row(i).begin(), data.row(i).end());
    rows.back().push_back(data.labels[static_cast<size_t>(i)]);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

TEST_F(FitLadder, HoldsRowsBackFromThoseThatChoose) {
  TaskData data = load_task(nested_request(shared->path() / "none", 500).task);
  auto all = rows_of(data.validation);
  hold_back_rows(data, 1);
  EXPECT_EQ(data.validation.size(), 125);
  auto parts = rows_of(data.validation);
  const auto held_back = rows_of(data.held_back);
  parts.insert(parts.end(), held_back.begin(), held_back.end());
  std::sort(parts.begin(), parts.end());
  EXPECT_EQ(parts, all) << "every row is in one part";
  EXPECT_NE(rows_of(data.validation), held_back);
}

TEST_F(FitLadder, DistilsARandomPartOfManyRowsAndSaysSo) {
  const TaskData data = load_task(nested_request(shared->path() / "none", 500).task);
  Notes notes;
  EXPECT_EQ(rows_to_distil(data.train, 250, 1, notes).size(), 250U);
  EXPECT_TRUE(notes.lines.empty());
  const auto ids = [&](uint64_t seed) {
    std::vector<std::vector<int32_t>> rows;
    for (const Tokens& row : rows_to_distil(data.train, 100, seed, notes)) rows.push_back(row.ids);
    return rows;
  };
  EXPECT_EQ(ids(1).size(), 100U);
  EXPECT_EQ(ids(1), ids(1));
  EXPECT_NE(ids(1), ids(2));
  EXPECT_TRUE(notes.hold("learns from 100 of the 250 training rows"));
}

// Of a model that says the same of every text: all budgets agree, and so does rung zero.
TEST_F(FitLadder, ClimbsOnlyAsFarAsItMust) {
  CheckpointModel constant = open_checkpoint(model, torch::kCPU);
  const torch::NoGradGuard no_gradients;
  constant.model.weights.classifier.weight.zero_();
  constant.model.weights.classifier.bias.copy_(torch::tensor({1.0F, 0.0F}));
  TaskData data = load_task(nested_request(shared->path() / "none", 500).task);
  hold_back_rows(data, 1);
  Notes notes;
  const StoredPolicy stored = fit_ladder(constant.model, constant.config, data, 1, notes);
  ASSERT_TRUE(stored.policy);
  EXPECT_EQ(stored.policy->rungs.size(), 2U);
  EXPECT_EQ(stored.policy->rungs[0].budget, 0);
  EXPECT_EQ(stored.policy->levels.back().reached, (std::vector<double>{1, 0}));
}

TEST_F(FitLadder, IsLeftOutWhereRowsAreTooFewAndSaysSo) {
  Notes notes;
  const TrainRequest request = nested_request(shared->path() / "fewer", 200);
  EXPECT_FALSE(train_model(request, notes).policy);
  EXPECT_TRUE(notes.hold("100 validation rows are too few"));
  EXPECT_FALSE(fs::exists(request.out / "policy.json"));
}

TEST_F(FitLadder, IsLeftOutOnRequest) {
  Notes notes;
  TrainRequest request = nested_request(shared->path() / "plain", 500);
  request.tune = false;
  EXPECT_FALSE(train_model(request, notes).policy);
  EXPECT_FALSE(fs::exists(request.out / "policy.json"));
}

}  // namespace
}  // namespace headroom
