// Starting from another model's weights: what comes along, what stays fresh, what is refused.
#include "train/fine_tuning.h"

#include <gtest/gtest.h>

#include "checkpoint/checkpoint.h"
#include "model/random_models.h"
#include "model/weights_io.h"
#include "support.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using testing::expect_error;
using testing::TemporaryFolder;

const ModelShape init_shape = {
    .layers = 2, .width = 8, .heads = 2, .ffn = 12, .vocabulary = 8, .positions = 20};
const std::vector<std::string> init_labels = {"good", "bad"};

class StartFrom : public ::testing::Test {
 protected:
  StartFrom() {
    model.shape = init_shape;
    model.shape.positions = 6;
    set_fresh_weights();
  }
  void set_fresh_weights() { model.weights = fresh_weights(model.shape, 5, torch::kCPU); }

  // Writes a checkpoint with random weights, which stay at hand as `stored`.
  void write_init(OutputHead head) {
    ModelConfig config;
    config.shape = init_shape;
    config.layer_norm_eps = 1e-5;
    if (head == OutputHead::classifier) {
      config.labels = init_labels;
    } else {
      config.task = head == OutputHead::masked_lm ? Task::masked_lm : Task::encoder;
      config.pooler = head == OutputHead::pooler;
      config.shape.labels = 0;
    }
    stored = testing::random_weights(config.shape, 1, head);
    const std::string vocabulary = Vocabulary::with_words({"a", "b", "c"}).to_text();
    write_checkpoint(path(), {config, vocabulary, "# card\n", "", tensor_views(stored)});
  }
  void expect_the_stored_encoder() const {
    EXPECT_TRUE(torch::equal(model.weights.words, stored.words));
    EXPECT_TRUE(torch::equal(model.weights.types, stored.types));
    EXPECT_TRUE(torch::equal(model.weights.embedding_norm.bias, stored.embedding_norm.bias));
    for (size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(torch::equal(model.weights.layers[i].attention.output.weight,
                               stored.layers[i].attention.output.weight));
      EXPECT_TRUE(torch::equal(model.weights.layers[i].down.weight, stored.layers[i].down.weight));
    }
  }
  fs::path path() const { return folder.path() / "init"; }

  TemporaryFolder folder;
  ModelWeights stored;
  ElasticModel model;
};

TEST_F(StartFrom, AMaskedLmGivesItsEncoderAndNothingElse) {
  write_init(OutputHead::masked_lm);
  const ModelWeights fresh = copy_weights(model.weights);
  start_from(path(), {"yes", "no"}, model);
  expect_the_stored_encoder();
  EXPECT_FALSE(model.weights.masked_head);
  EXPECT_EQ(model.weights.head, OutputHead::classifier);
  EXPECT_TRUE(torch::equal(model.weights.pooler.weight, fresh.pooler.weight));
  EXPECT_TRUE(torch::equal(model.weights.classifier.weight, fresh.classifier.weight));
}

TEST_F(StartFrom, ABareEncoderGivesThePoolerItHas) {
  for (const OutputHead head : {OutputHead::pooler, OutputHead::none}) {
    write_init(head);
    set_fresh_weights();
    const ModelWeights fresh = copy_weights(model.weights);
    start_from(path(), {"yes", "no"}, model);
    expect_the_stored_encoder();
    EXPECT_EQ(model.weights.head, OutputHead::classifier);
    const Linear& pooler = head == OutputHead::pooler ? stored.pooler : fresh.pooler;
    EXPECT_TRUE(torch::equal(model.weights.pooler.weight, pooler.weight));
    EXPECT_TRUE(torch::equal(model.weights.classifier.weight, fresh.classifier.weight));
  }
}

TEST_F(StartFrom, TheResultIsAWholeModel) {
  write_init(OutputHead::masked_lm);
  start_from(path(), {"yes", "no"}, model);
  const std::vector<TensorSpec> names = tensor_specs(model.shape);
  size_t next = 0;
  for_each_tensor(model.weights, [&](const std::string& name, const torch::Tensor& tensor) {
    EXPECT_EQ(name, names.at(next).name);
    EXPECT_EQ(tensor.sizes(), names.at(next).shape) << name;
    ++next;
  });
  EXPECT_EQ(next, names.size());
  Random random{1};
  const Batch batch = testing::random_batch(model.shape, {6, 4}, random);
  EXPECT_EQ(forward(model.weights, batch, model.evaluation()).sizes(),
            (std::vector<int64_t>{2, 2}));
}

TEST_F(StartFrom, PositionsAreCutToTheLongestInput) {
  write_init(OutputHead::masked_lm);
  start_from(path(), {"yes", "no"}, model);
  EXPECT_TRUE(torch::equal(model.weights.positions, stored.positions.narrow(0, 0, 6)));
}

TEST_F(StartFrom, TheCheckpointsNormComesAlong) {
  write_init(OutputHead::masked_lm);
  start_from(path(), {"yes", "no"}, model);
  EXPECT_EQ(model.layer_norm_eps, 1e-5);
}

TEST_F(StartFrom, AClassifierOfTheSameLabelsComesWhole) {
  write_init(OutputHead::classifier);
  start_from(path(), init_labels, model);
  expect_the_stored_encoder();
  EXPECT_TRUE(torch::equal(model.weights.pooler.weight, stored.pooler.weight));
  EXPECT_TRUE(torch::equal(model.weights.classifier.weight, stored.classifier.weight));
}

TEST_F(StartFrom, AClassifierOfOtherLabelsGivesItsPooler) {
  write_init(OutputHead::classifier);
  model.shape.labels = 3;
  set_fresh_weights();
  const ModelWeights fresh = copy_weights(model.weights);
  start_from(path(), {"a", "b", "c"}, model);
  expect_the_stored_encoder();
  EXPECT_TRUE(torch::equal(model.weights.pooler.weight, stored.pooler.weight));
  EXPECT_TRUE(torch::equal(model.weights.classifier.weight, fresh.classifier.weight));
}

TEST_F(StartFrom, AnotherShapeIsAUsageErrorThatNamesIt) {
  write_init(OutputHead::masked_lm);
  struct Other {
    int64_t ModelShape::*size;
    int64_t value;
    const char* complaint;
  };
  const Other others[] = {{&ModelShape::layers, 3, "2 layers"},
                          {&ModelShape::width, 16, "width 8"},
                          {&ModelShape::heads, 4, "2 heads"},
                          {&ModelShape::ffn, 13, "FFN 12"},
                          {&ModelShape::vocabulary, 9, "a vocabulary of 8"},
                          {&ModelShape::positions, 21, "20 tokens"}};
  for (const Other& other : others) {
    SCOPED_TRACE(other.complaint);
    model.shape = init_shape;
    model.shape.*other.size = other.value;
    set_fresh_weights();
    expect_error(ErrorCode::usage, other.complaint, [&] {
      start_from(path(), {"yes", "no"}, model);
    });
  }
}

TEST_F(StartFrom, AMissingCheckpointIsABadModel) {
  expect_error(ErrorCode::bad_model, "is not a directory", [&] {
    start_from(path(), {"yes", "no"}, model);
  });
}

}  // namespace
}  // namespace headroom
