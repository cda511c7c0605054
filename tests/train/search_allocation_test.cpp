// The search for an allocation on a real model's validation rows.
#include "train/stages/search_allocation.h"

#include <gtest/gtest.h>

#include "budget/allocation/unit_counts.h"
#include "support.h"
#include "train/notes.h"
#include "train/runtime.h"
#include "train/stages/distilled_loss.h"
#include "train/stages/unit_importance.h"
#include "train/stop_at.h"
#include "train/tiny.h"

namespace headroom {
namespace {
using testing::Notes;
using testing::tiny_model;
using testing::tiny_validation;

// The second layer's attention and the first one's FFN write little.
ElasticModel lopsided_model() {
  ElasticModel model = tiny_model();
  model.weights.layers[1].attention.output.weight.mul_(0.01);
  model.weights.layers[0].down.weight.mul_(0.01);
  return model;
}

class SearchAllocation : public ::testing::Test {
 protected:
  SearchAllocation() {
    use_threads(1);
    settings.budget_grid = {0.25, 0.5, 0.75, 1.0};
    NestedSettings nested;
    nested.allocation = Allocation::searched;
    arrange_units(model, validation, nested);
  }

  void search() {
    Random random{1};
    search_allocation(model, validation, settings, random, notes);
  }

  // By a model that holds the selected units alone, all rows in one batch.
  double loss_at(const UnitOrder& order, double budget) const {
    const torch::NoGradGuard no_gradients;
    const Batch batch = tiny_validation(rows)[0];
    const ModelWeights sliced =
        slice_model(model.weights, select_units(order, model.shape, budget));
    const torch::Tensor taught =
        settings.distill_weight > 0 ? teacher_outputs(model, batch) : torch::Tensor();
    return distilled_loss(settings, *model.objective, forward(sliced, batch, model.evaluation()),
                          taught, batch)
        .item<double>();
  }

  void expect_better_than_uniform() const {
    const UnitOrder uniform = uniform_order(model.shape, 4);
    double gained = 0;
    for (const double budget : {0.25, 0.5, 0.75}) {
      const double difference = loss_at(uniform, budget) - loss_at(*model.order, budget);
      EXPECT_GE(difference, -1e-6) << budget;
      gained += difference;
    }
    EXPECT_GT(gained, 1e-4);
  }

  static constexpr int64_t rows = 32;
  ElasticModel model = lopsided_model();
  std::vector<Batch> validation = tiny_validation(rows);
  StageSettings settings;
  Notes notes;
};

TEST_F(SearchAllocation, StartsFromTheRankedOrder) {
  EXPECT_NE(model.order, uniform_order(model.shape, 4));
}

TEST_F(SearchAllocation, LosesNoMoreThanUniformAtAnyBudget) {
  search();
  expect_better_than_uniform();
}

TEST_F(SearchAllocation, FollowsLabelsAloneOrTheTeacherAlone) {
  const ElasticModel arranged = copy_model(model);
  for (const double weight : {0.0, 1.0}) {
    SCOPED_TRACE(weight);
    model = copy_model(arranged);
    settings.distill_weight = weight;
    search();
    expect_better_than_uniform();
  }
}

TEST_F(SearchAllocation, GivesTheUnitsToTheLayersThatUseThem) {
  settings.distill_weight = 1;  // labels mean nothing to a model that was not trained
  search();
  const UnitCounts half = counts_at(*model.order, model.shape, 0.5);
  EXPECT_GT(half.heads[0], half.heads[1]);
  EXPECT_GT(half.groups[1], half.groups[0]);
}

TEST_F(SearchAllocation, LeavesTheWeightsAlone) {
  const ElasticModel before = copy_model(model);
  search();
  EXPECT_TRUE(testing::same_bits(before, model));
}

TEST_F(SearchAllocation, TellsWhatItTried) {
  search();
  ASSERT_EQ(notes.lines.size(), 1U);
  EXPECT_TRUE(notes.hold("allocation searched on 32 validation rows: "));
  EXPECT_TRUE(notes.hold(" at 0.25 (uniform "));
}

TEST_F(SearchAllocation, EndsWhenItIsAskedTo) {
  EXPECT_EXIT(testing::exit_when_terminated(3,
                                            [&](ProgressSink& stop) {
                                              Random random{1};
                                              search_allocation(model, validation, settings, random,
                                                                stop);
                                            }),
              ::testing::ExitedWithCode(exit_code(ErrorCode::interrupted)), "");
}

int64_t rows_of(const std::vector<Batch>& batches) {
  int64_t rows = 0;
  for (const Batch& batch : batches) rows += batch.size();
  return rows;
}

TEST(SearchedBatches, AreAllWhereThereAreFew) {
  EXPECT_EQ(rows_of(searched_batches(tiny_validation(512))), 512);
}

TEST(SearchedBatches, AreSpreadOverAllLengths) {
  const std::vector<Batch> all = tiny_validation(2048);  // 64 of 32 rows
  const std::vector<Batch> chosen = searched_batches(all);
  ASSERT_EQ(rows_of(chosen), 512);
  for (size_t i = 0; i < chosen.size(); ++i) {
    EXPECT_TRUE(torch::equal(chosen[i].labels, all[4 * i + 3].labels)) << i;
  }
}

TEST(SearchedBatches, OfRowsInOneLargeBatchAreThatBatch) {
  const EncodedDataset data = encode_synthetic(testing::tiny_task, 99, 0, 600);
  EXPECT_EQ(rows_of(searched_batches(evaluation_batches(data, 600, torch::kCPU))), 600);
}

}  // namespace
}  // namespace headroom
