#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "train/heads/drawn_loss.h"
#include "train/heads/fit_lexical.h"
#include "train/heads/fit_scores.h"
#include "train/heads/objective.h"
#include "train/heads/regress.h"
#include "train/stages/losses.h"

namespace headroom {
namespace {

torch::Tensor rows(std::vector<float> values, int64_t count) {
  return torch::tensor(values).view({count, -1});
}

double loss_of(const Objective& objective, const torch::Tensor& outputs, const Batch& batch,
               double smoothing = 0) {
  return objective.loss(outputs, batch, smoothing).item<double>();
}

Batch batch_of(const torch::Tensor& values, int64_t texts = 1) {
  Batch batch;
  batch.values = values;
  batch.texts = texts;
  return batch;
}

double log_sigmoid(double x) {
  return -std::log1p(std::exp(-x));
}

TEST(TagObjective, CountsFirstPiecesOnly) {
  const auto objective = tag_objective({"O", "B-X"});
  Batch batch;
  batch.labels = torch::tensor({int64_t{-100}, int64_t{1}, int64_t{-100}});
  const torch::Tensor logits = rows({9, 0, 0, 0, 0, 9}, 3);
  EXPECT_NEAR(loss_of(*objective, logits, batch), std::log(2.0), 1e-6);
  const torch::Tensor teacher = rows({0, 0, 0, 0, 9, 9}, 3);
  EXPECT_NEAR(objective->distillation(logits, teacher, batch, 2).item<double>(), 0, 1e-6)
      << "they differ where no word begins";
}

TEST(MultilabelObjective, IsACrossEntropyForEachLabel) {
  const auto objective = multilabel_objective({});
  const Batch batch = batch_of(rows({1, 0}, 1));
  const torch::Tensor logits = rows({2, -1}, 1);
  EXPECT_NEAR(loss_of(*objective, logits, batch), -(log_sigmoid(2) + log_sigmoid(1)) / 2, 1e-6);
  const double smoothed = -(0.9 * log_sigmoid(2) + 0.1 * log_sigmoid(-2) + 0.1 * log_sigmoid(-1) +
                            0.9 * log_sigmoid(1)) /
                          2;
  EXPECT_NEAR(loss_of(*objective, logits, batch, 0.2), smoothed, 1e-6);
  EXPECT_NEAR(objective->distillation(logits, logits, batch, 2).item<double>(), 0, 1e-6);
  EXPECT_GT(objective->distillation(logits, -logits, batch, 2).item<double>(), 0.1);
}

TEST(RankObjective, TakesGradesAboveZeroAsRelevant) {
  const Batch batch = batch_of(rows({3, 5, 0, 5}, 2));  // grade and ideal
  EXPECT_NEAR(loss_of(*rank_objective(), rows({1, -1}, 2), batch), -log_sigmoid(1), 1e-6);
}

TEST(NumberObjective, LearnsInUnitsOfItsOwn) {
  const auto objective = number_objective(100, 10);
  const Batch batch = batch_of(rows({110, 80}, 2));
  EXPECT_NEAR(loss_of(*objective, rows({1, -2}, 2), batch), 0, 1e-9);
  EXPECT_NEAR(loss_of(*objective, rows({0, -2}, 2), batch), 0.5, 1e-6);
}

TEST(NumberScaleOfRows, IsMeanAndSpread) {
  EncodedDataset data;
  data.values = {1, 3, 5, 7};
  const NumberScale scale = number_scale(data);
  EXPECT_DOUBLE_EQ(scale.mean, 4);
  EXPECT_DOUBLE_EQ(scale.spread, std::sqrt(5.0));
  data.values = {2, 2};
  EXPECT_DOUBLE_EQ(number_scale(data).spread, 1);
}

TEST(VectorObjective, TellsPairsFromTheOthersOfTheBatch) {
  const auto objective = vector_objective({2});
  const Batch pairs = batch_of({}, 2);
  const torch::Tensor right = rows({1, 0, 0, 1, 2, 0, 0, 3}, 4);
  EXPECT_NEAR(loss_of(*objective, right, pairs), std::log1p(std::exp(-20.0)), 1e-5)
      << "cosines 1 and 0, times 20";
  const torch::Tensor crossed = rows({1, 0, 0, 1, 0, 2, 3, 0}, 4);
  EXPECT_NEAR(loss_of(*objective, crossed, pairs), 20, 1e-4);
  const Batch triples = batch_of({}, 3);
  const torch::Tensor with_negatives = rows({1, 0, 0, 1, 2, 0, 0, 3, 1, 0, 1, 0}, 6);
  EXPECT_NEAR(loss_of(*objective, with_negatives, triples),
              (std::log(3 + std::exp(-20.0)) + std::log1p(3 * std::exp(-20.0))) / 2, 1e-4);
}

TEST(VectorObjective, PutsScoredPairsInOrder) {
  const auto objective = vector_objective({2});
  const Batch batch = batch_of(rows({5, 1}, 2), 2);
  const torch::Tensor right = rows({1, 0, 1, 0, 1, 0, 0, 1}, 4);  // cosines 1 and 0
  EXPECT_NEAR(loss_of(*objective, right, batch), std::log1p(std::exp(-20.0)), 1e-5);
  const torch::Tensor wrong = rows({1, 0, 1, 0, 0, 1, 1, 0}, 4);
  EXPECT_NEAR(loss_of(*objective, wrong, batch), 20, 1e-4);
  const Batch equal = batch_of(rows({3, 3}, 2), 2);
  EXPECT_NEAR(loss_of(*objective, wrong, equal), 0, 1e-6) << "equal scores have no order";
}

TEST(VectorObjective, AsksTheSameOfPrefixes) {
  const Batch pairs = batch_of({}, 2);
  const torch::Tensor outputs = rows({1, 0, -1, 5, 2, 0, -3, 4}, 4);
  const double whole = loss_of(*vector_objective({2}), outputs, pairs);
  const double prefix = loss_of(*vector_objective({1}), outputs, pairs);
  EXPECT_NEAR(loss_of(*vector_objective({2, 1}), outputs, pairs), (whole + prefix) / 2, 1e-5);
  EXPECT_EQ(vector_widths(256), (std::vector<int64_t>{256, 128, 64}));
}

TEST(VectorObjective, FollowsTheTeachersDirections) {
  const auto objective = vector_objective({2});
  const torch::Tensor teacher = rows({0, 3}, 1);
  EXPECT_NEAR(objective->distillation(rows({0, 1}, 1), teacher, {}, 2).item<double>(), 0, 1e-5);
  EXPECT_NEAR(objective->distillation(rows({1, 0}, 1), teacher, {}, 2).item<double>(), 20, 1e-4);
}

TEST(FitCalibration, FindsTheLineBetweenTwoBudgets) {
  const std::vector<float> full = {-3, -1, 0, 2, 4};
  std::vector<float> small;
  for (const float z : full) small.push_back((z - 1) / 2);  // z = 2 * small + 1
  std::swap(small[0], small[3]);                            // other rows, the same scores
  const ScoreCalibration fitted = fit_calibration(0.25, small, full, true);
  EXPECT_EQ(fitted.budget, 0.25);
  EXPECT_NEAR(fitted.temperature, 0.5, 1e-6);
  EXPECT_NEAR(fitted.offset, 1, 1e-6);
  EXPECT_NEAR(fitted.apply(small[1]), -1, 1e-6);
}

TEST(FitCalibration, LeavesScoresThatSayNothing) {
  EXPECT_EQ(fit_calibration(0.5, {1, 1, 1}, {-1, 0, 1}, true), ScoreCalibration{0.5});
}

// What elastic models rank heads and neurons by: distillation says nothing where a student still is
// its teacher.
TEST(DrawnLoss, HasAGradientWhereDistillationHasNone) {
  torch::manual_seed(1);
  for (const Task task :
       {Task::classify, Task::tag, Task::multilabel, Task::regress, Task::rerank, Task::embed}) {
    SCOPED_TRACE(task_name(task));
    ModelConfig config;
    config.task = task;
    config.labels = {"O", "B-LOC", "I-LOC"};
    config.shape.width = 3;
    const auto objective = objective_of(config);
    Batch batch;
    batch.labels = torch::zeros({2}, torch::kInt64);
    const torch::Tensor outputs =
        rows({1.0F, 0.0F, -1.0F, 0.5F, 2.0F, 1.0F}, 2).requires_grad_(true);
    const auto gradient = [&](const torch::Tensor& loss) {
      return torch::autograd::grad({loss}, {outputs})[0].abs().sum().item<double>();
    };
    EXPECT_LT(gradient(objective->distillation(outputs, outputs, batch, 2)), 1e-4);
    EXPECT_GT(gradient(drawn_loss(task, outputs, batch)), 1e-2);
  }
}

TEST(DrawnLoss, IsOnAverageTheEntropyOfTheLabels) {
  torch::manual_seed(1);
  const torch::Tensor logits = rows({std::log(3.0F), 0.0F}, 1).expand({20000, 2});
  EXPECT_NEAR(drawn_loss(Task::classify, logits, {}).item<double>(),
              -0.75 * std::log(0.75) - 0.25 * std::log(0.25), 0.02);
}

// Queries of four rows each, of which the first is relevant.
EncodedDataset judged(int32_t queries) {
  EncodedDataset rows;
  rows.values_a_row = 2;
  for (int32_t i = 0; i < 4 * queries; ++i) {
    // [CLS] 5 [SEP] and a passage that has a 5 where it is relevant.
    rows.append(std::vector<int32_t>{0, 5, 1, i % 4 == 0 ? 5 : 6, 7, 1}, 0);
    rows.groups.push_back(i / 4);
    rows.values.push_back(i % 4 == 0 ? 1.0F : 0.0F);
    rows.values.push_back(1);
  }
  return rows;
}

TokenBm25 evenly_rare() {
  return {1, 2, {0, 0, 16, 16, 16, 16, 16, 16}};
}

TEST(FitBlend, WeighsWhatTellsRelevantRowsFromOthers) {
  const EncodedDataset rows = judged(6);
  std::vector<float> noise;
  std::vector<double> truth;
  for (size_t i = 0; i < 24; ++i) {
    noise.push_back(static_cast<float>((7 * i) % 5));
    truth.push_back(i % 4 == 0 ? 3 : 1);
  }
  const Blend blend = fit_blend(rows, noise, truth);
  EXPECT_GT(2 * blend.lexical, 4 * blend.network) << "3 - 1 decides against noise of 0 to 4";
  const std::vector<float> right(truth.begin(), truth.end());
  const Blend other = fit_blend(rows, right, std::vector<double>(noise.begin(), noise.end()));
  EXPECT_GT(2 * other.network, 4 * other.lexical);
  EXPECT_GE(other.lexical, 0);
}

// The network finds the relevant row of two queries in four, where BM25 finds it, too; BM25 of
// three.
TEST(FitBlend, TrustsANetworkMoreTheMoreQueriesSpeakForIt) {
  const auto trust = [](int32_t queries) {
    std::vector<float> network;
    std::vector<double> bm25;
    for (int32_t i = 0; i < 4 * queries; ++i) {
      const int32_t query = i / 4 % 4;
      network.push_back(i % 4 == (query == 1 || query == 2 ? 0 : 1) ? 1.0F : 0.0F);
      bm25.push_back(i % 4 == (query > 0 ? 0 : 2) ? 1.0 : 0.0);
    }
    const Blend blend = fit_blend(judged(queries), network, bm25);
    return blend.network / blend.lexical;
  };
  EXPECT_LT(2 * trust(4), trust(800));
  EXPECT_GT(trust(4), 0) << "it decides between equals";
  EXPECT_LT(trust(800), 1);
}

TEST(FitLexical, KeepsRankingsOfAnyBudgetAndTheShareOfRelevantRows) {
  const EncodedDataset rows = judged(6);
  std::vector<BudgetOutputs> outputs = {{0.5, {}}, {1.0, {}}};
  for (int i = 0; i < 24; ++i) {
    outputs[0].values.push_back(static_cast<float>((5 * i) % 7));
    outputs[1].values.push_back(static_cast<float>((3 * i) % 7) * 2);
  }
  OutputConfig output;
  ASSERT_TRUE(fit_lexical(rows, outputs, evenly_rare(), output));
  EXPECT_EQ(output.lexical, evenly_rare());
  ASSERT_EQ(output.calibration.size(), 2U);
  for (size_t b = 0; b < 2; ++b) {
    const ScoreCalibration& at = output.calibration[b];
    EXPECT_EQ(at.budget, outputs[b].budget);
    EXPECT_GT(at.lexical, 0);
    double sum = 0;
    for (size_t i = 0; i < 24; i += 4) {
      std::vector<double> logits;
      for (size_t k = i; k < i + 4; ++k) {
        logits.push_back(at.apply(outputs[b].values[k]) +
                         output.lexical_score(at, rows.row(static_cast<int64_t>(k))));
        sum += 1 / (1 + std::exp(-logits.back()));
      }
      EXPECT_EQ(std::max_element(logits.begin(), logits.end()), logits.begin()) << "query " << i;
    }
    EXPECT_NEAR(sum / 24, 0.25, b == 1 ? 1e-6 : 0.05);
  }
}

TEST(FitLexical, LeavesARankerThatNeedsNoBm25) {
  const EncodedDataset rows = judged(6);
  BudgetOutputs right{1.0, {}};
  for (int i = 0; i < 24; ++i) right.values.push_back(i % 4 == 0 ? 2.0F : -2.0F);
  OutputConfig output;
  EXPECT_FALSE(fit_lexical(rows, {right}, evenly_rare(), output));
  EXPECT_EQ(output, OutputConfig{});
}

}  // namespace
}  // namespace headroom
