// Nested training from a CSV file to a checkpoint that runs at every budget.
#include <gtest/gtest.h>

#include "checkpoint/checkpoint.h"
#include "engine/random_model.h"
#include "support.h"
#include "train/evaluate/predictor.h"
#include "train/reviews.h"
#include "train/stop_at.h"

namespace headroom {
namespace {
using namespace testing;

class NestedModel : public ::testing::Test {
 protected:
  TrainRequest request_named(const char* name) const {
    TrainRequest request = request_for(csv, folder.path() / name);
    request.method = Method::nested;
    request.recipe.nested_epochs = 4;
    request.recipe.nested_rate = 3e-3;
    request.budgets = {0.125, 0.25, 0.5, 0.75, 1.0};
    return request;
  }

  TemporaryFolder folder;
  const std::filesystem::path csv = folder.write("train.csv", reviews(200, 1));
  const std::filesystem::path test_csv = folder.write("test.csv", reviews(100, 2));
};

TEST_F(NestedModel, RunsAtEveryBudget) {
  TrainRequest request = request_named("nested");
  request.task.eval_data = spec_of(test_csv);
  const TrainReport nested = train_quietly(request);
  const ModelConfig config = read_config(request.out);
  EXPECT_EQ(config.method, Method::nested);
  EXPECT_EQ(config.scope(), "heads+ffn");
  const auto scores = evaluate_at(request.out, spec_of(test_csv), request.budgets);
  ASSERT_EQ(nested.scores.size(), 5U);
  for (size_t i = 0; i < scores.size(); ++i) {
    EXPECT_EQ(scores[i].accuracy, nested.scores[i].accuracy);
    EXPECT_EQ(scores[i].loss, nested.scores[i].loss);
    EXPECT_GE(scores[i].accuracy, 0.9) << "budget " << scores[i].budget;
    if (i == 0) continue;
    EXPECT_GT(scores[i].model_macs, scores[i - 1].model_macs);
    EXPECT_GT(scores[i].parameters, scores[i - 1].parameters);
  }
  EXPECT_LT(scores[0].model_macs_fraction, 0.3) << "the FFN shrinks too";
  for (const double budget : {0.01, 0.3, 0.99}) {
    EXPECT_EQ(Predictor(request.out, budget, 1, "cpu").predict({"dull"}).tokens, 3);
  }
}

// An encoder with random weights that knows the reviews' words.
void write_encoder(const std::filesystem::path& path, ModelShape shape) {
  const Vocabulary vocabulary =
      Vocabulary::with_words({"<s>", "</s>", "great", "lovely", "superb", "awful", "dull", "poor",
                              "the", "film", "was", "a", "story", "with", "actors"});
  ModelConfig config;
  config.task = Task::encoder;
  config.pooler = false;
  shape.vocabulary = vocabulary.size();
  shape.labels = 0;
  config.shape = shape;
  const Tensors tensors = random_tensors(shape, 3);
  CheckpointContent content{config, vocabulary.to_text(), "", "", {}};
  for (const TensorSpec& entry : config.tensors()) {
    content.tensors.push_back({entry.name, DType::f32, entry.shape,
                               std::as_bytes(std::span<const float>(tensors.at(entry.name)))});
  }
  write_checkpoint(path, content);
}

TEST_F(NestedModel, StartsFromEveryFamily) {
  for (const ModelShape& shape : family_shapes(small_shape())) {
    SCOPED_TRACE(shape.family);
    TrainRequest request = request_named("family");
    request.init = folder.path() / "encoder";
    write_encoder(request.init, shape);
    request.recipe.dense_epochs = request.recipe.nested_epochs = 0.5;
    request.recipe.dense_rate = request.recipe.nested_rate = 1e-3;
    request.budgets = {0.5, 1.0};
    const TrainReport report = train_quietly(request);
    const ModelConfig config = read_config(request.out);
    EXPECT_EQ(config.shape.family, shape.family);
    EXPECT_EQ(config.method, Method::nested);
    EXPECT_GT(verify_weights(request.out, config), 30U);
    for (const double budget : request.budgets) {
      EXPECT_EQ(Predictor(request.out, budget, 1, "cpu").predict({"dull"}).tokens, 3) << budget;
    }
    EXPECT_LT(report.scores[0].model_macs, report.scores[1].model_macs);
  }
}

TEST_F(NestedModel, ResumedRunsWriteTheSameCheckpoint) {
  TrainRequest request = request_named("whole");
  request.recipe.dense_epochs = request.recipe.nested_epochs = 0.5;  // 6 steps each
  request.recipe.nested.allocation = Allocation::ranked;
  train_quietly(request);
  for (const int64_t step : {3, 7, 9, 12}) {
    SCOPED_TRACE(step);
    TrainRequest stopped = request;
    stopped.out = folder.path() / std::to_string(step);
    stopped.save_seconds = 0;
    expect_stopped(StopAt::step(step), [&](ProgressSink& stop) { train_model(stopped, stop); });
    stopped.resume = true;
    train_quietly(stopped);
    EXPECT_TRUE(same_model(request.out, stopped.out));
  }
}

// Pulls the plug at the n-th sign of life of one stage.
class StopIn : public ProgressSink {
 public:
  StopIn(std::string stage, int64_t nth) : stage_(std::move(stage)), left_(nth) {}
  void update(const ProgressUpdate& update) override {
    if (update.stage != stage_ || --left_ != 0) return;
    throw Error(ErrorCode::interrupted, "test", "pulled the plug");
  }
  void note(const std::string& /*line*/) override {}

 private:
  std::string stage_;
  int64_t left_;
};

TEST_F(NestedModel, OfASearchedAllocationIsResumedToTheSameCheckpoint) {
  TrainRequest request = request_named("whole");
  request.recipe.dense_epochs = request.recipe.nested_epochs = 0.5;  // 6 steps each
  request.recipe.nested.allocation = Allocation::searched;
  train_quietly(request);
  const std::vector<std::pair<std::string, int64_t>> places = {
      {"dense", 3}, {"search", 1}, {"search", 40}, {"nested", 1}, {"nested", 4}};
  for (const auto& [stage, nth] : places) {
    SCOPED_TRACE(stage + " " + std::to_string(nth));
    TrainRequest stopped = request;
    stopped.out = folder.path() / (stage + std::to_string(nth));
    stopped.save_seconds = 0;
    StopIn stop(stage, nth);
    expect_error(ErrorCode::interrupted, "pulled the plug", [&] { train_model(stopped, stop); });
    stopped.resume = true;
    StopIn once_is_enough("search", stage == "nested" ? 1 : 0);
    train_model(stopped, once_is_enough);
    EXPECT_TRUE(same_model(request.out, stopped.out));
  }
}

TEST_F(NestedModel, OfASearchedAllocationRunsAtEveryBudget) {
  TrainRequest request = request_named("searched");
  request.recipe.nested.allocation = Allocation::searched;
  train_quietly(request);
  EXPECT_EQ(read_config(request.out).scope(), "heads+ffn");
  for (const BudgetScore& score : evaluate_at(request.out, spec_of(test_csv), request.budgets)) {
    EXPECT_GE(score.accuracy, 0.9) << "budget " << score.budget;
  }
}

TEST_F(NestedModel, OfHeadsKeepsItsFfnsWhole) {
  TrainRequest request = request_named("heads");
  request.recipe.nested.scope = Scope::heads;
  request.recipe.dense_epochs = request.recipe.nested_epochs = 0.1;
  train_quietly(request);
  const ModelConfig config = read_config(request.out);
  EXPECT_EQ(config.scope(), "heads");
  EXPECT_EQ(config.selection(0.25).active_ffn(config.shape.ffn), 1.0);
  EXPECT_EQ(Predictor(request.out, 0.25, 1, "cpu").predict({"a"}).active_heads, 0.25);
}

TEST_F(NestedModel, OfDepthDropsWholeLayers) {
  TrainRequest request = request_named("depth");
  request.recipe.nested.allocation = Allocation::depth;
  request.recipe.dense_epochs = request.recipe.nested_epochs = 0.1;
  train_quietly(request);
  EXPECT_EQ(read_config(request.out).selection(0.5).ffn, (std::vector<int64_t>{32, 0}));
  EXPECT_EQ(evaluate_at(request.out, spec_of(test_csv), {0.5})[0].examples, 100);
}

TEST_F(NestedModel, ABadFfnGroupIsRefusedBeforeTraining) {
  TrainRequest request = request_named("model");
  request.recipe.nested.group_width = 5;
  StopAt no_step = StopAt::step(1);
  expect_error(ErrorCode::usage, "groups of 5", [&] { train_model(request, no_step); });
}

TEST_F(NestedModel, IsWhatADenseOneMayStartFrom) {
  TrainRequest request = request_named("nested");
  request.recipe.dense_epochs = request.recipe.nested_epochs = 0.1;
  train_quietly(request);
  request.init = request.out;
  request.out = folder.path() / "dense";
  request.method = Method::dense;
  train_quietly(request);
  EXPECT_FALSE(read_config(request.out).order);
}

}  // namespace
}  // namespace headroom
