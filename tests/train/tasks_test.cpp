// Pairs, images, language models and translations: from files to a checkpoint and back to answers.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"
#include "checkpoint/checkpoint.h"
#include "idx_bytes.h"
#include "support.h"
#include "train/evaluate/checkpoint.h"
#include "train/evaluate/generator.h"
#include "train/evaluate/image_predictor.h"
#include "train/evaluate/predictor.h"
#include "train/train_model.h"

namespace headroom {
namespace {
namespace fs = std::filesystem;
using testing::big_endian;
using testing::expect_error;

class Tasks : public ::testing::TestWithParam<AttentionKind> {
 protected:
  testing::TemporaryFolder folder_;

  TrainRequest request(Task task, const std::string& data) const {
    TrainRequest request;
    request.task.task = task;
    request.task.data = data;
    request.task.max_tokens = 12;
    request.task.min_count = 1;
    request.method = Method::dense;
    request.shape = {.layers = 1, .width = 32, .heads = 4, .ffn = 32};
    request.shape.attention = GetParam();
    request.recipe.batch_size = 16;
    request.recipe.dropout = 0;
    request.recipe.dense_rate = 3e-3;
    request.threads = 1;
    request.out = folder_.path() / "model";
    return request;
  }
  static TrainReport train(const TrainRequest& request) {
    SilentProgress progress;
    return train_model(request, progress);
  }
  fs::path model() const { return folder_.path() / "model"; }
  std::vector<BudgetScore> eval(const std::string& data,
                                std::vector<double> budgets = {1.0}) const {
    return evaluate_checkpoint({model(), data, "", std::move(budgets), 1, "cpu"});
  }
};

TEST_P(Tasks, PairsAreToldApartByTheirSecondText) {
  std::string rows;
  const std::vector<std::string> words = {"cat", "dog", "sun", "rain"};
  Random random{1};
  for (int i = 0; i < 400; ++i) {
    const size_t first = random.below(4);
    const size_t second = i % 2 == 0 ? first : (first + 1 + random.below(3)) % 4;
    rows += std::string(i % 2 == 0 ? "same" : "other") + "\t" + words[first] + "\t" +
            words[second] + "\n";
  }
  const std::string data =
      "tsv:" + folder_.write("pairs.tsv", rows).string() + "?label=1&text=2&text_pair=3";
  TrainRequest wanted = request(Task::pair, data);
  wanted.recipe.dense_epochs = 25;
  wanted.shape.layers = 2;
  EXPECT_GT(train(wanted).scores[0].accuracy, 0.9);
  EXPECT_EQ(read_config(model()).task, Task::pair);
  EXPECT_GT(eval(data)[0].accuracy, 0.9);
  expect_error(ErrorCode::bad_data, "--task pair needs two texts a row", [&] {
    train(request(Task::pair, "tsv:" + (folder_.path() / "pairs.tsv").string()));
  });
}

TEST_P(Tasks, ImagesAreClassifiedAtEveryBudget) {
  // A bright quarter of 8 x 8 pixels says which of four classes it is.
  std::string images = big_endian({2051, 200, 8, 8});
  std::string labels = big_endian({2049, 200});
  for (int i = 0; i < 200; ++i) {
    const int label = i % 4;
    for (int y = 0; y < 8; ++y) {
      for (int x = 0; x < 8; ++x) images += y / 4 * 2 + x / 4 == label ? '\xf0' : '\x10';
    }
    labels += static_cast<char>(label);
  }
  const std::string data = "idx:" + folder_.write("images", images).string() + "," +
                           folder_.write("labels", labels).string();
  TrainRequest wanted = request(Task::image, data);
  wanted.task.patch = 4;
  wanted.method = Method::budgeted;
  wanted.recipe.dense_epochs = 20;
  wanted.recipe.soft_epochs = 10;
  wanted.recipe.hard_epochs = 10;
  wanted.recipe.soft_rate = 3e-3;
  wanted.recipe.hard_rate = 3e-3;
  const TrainReport report = train(wanted);
  EXPECT_EQ(report.scores.size(), 4U);
  EXPECT_GT(report.scores.back().accuracy, 0.9);
  EXPECT_EQ(read_config(model()).image, (ImageFormat{8, 1, 4}));
  EXPECT_GT(eval(data, {0.5})[0].accuracy, 0.8);
  int64_t hits = 0;
  int64_t seen = 0;
  predict_images({model(), 1.0, 1, "cpu", data, ""},
                 [&](const ModelConfig& config, const ImagePrediction& answer) {
                   EXPECT_EQ(config.labels.size(), answer.scores.size());
                   hits += answer.label == seen++ % 4 ? 1 : 0;
                 });
  EXPECT_EQ(seen, 200);
  EXPECT_GT(hits, 180);
  expect_error(ErrorCode::usage, "is a model of task image",
               [&] { Predictor(model(), 1.0, 1, "cpu"); });
}

TEST_P(Tasks, ALanguageModelLearnsToGoOn) {
  std::string text;
  for (int i = 0; i < 300; ++i) text += "abcdefgh";
  TrainRequest wanted = request(Task::lm, "text:" + folder_.write("text", text).string());
  wanted.task.tokenizer = TokenizerKind::character;
  wanted.recipe.dense_epochs = 20;
  const TrainReport report = train(wanted);
  EXPECT_EQ(report.scores[0].measure, Measure::perplexity);
  EXPECT_LT(report.scores[0].perplexity(), 1.5);
  EXPECT_LT(eval(wanted.task.data)[0].perplexity(), 1.5);
  const Generator generator(model(), 1.0, 1, "cpu");
  GenerateSettings settings;
  settings.temperature = 0;
  settings.max_new_tokens = 6;
  EXPECT_EQ(generator.generate("cde", settings).text, "fghabc");
  settings.max_new_tokens = 100;
  EXPECT_EQ(generator.generate("cde", settings).tokens, 9) << "twelve tokens are the most it reads";
  expect_error(ErrorCode::bad_data, "nothing to go on from",
               [&] { generator.generate("", settings); });
  wanted.method = Method::adaptive;
  expect_error(ErrorCode::usage, "would see those it has to predict", [&] { train(wanted); });
}

TEST_P(Tasks, ATranslatorLearnsWordsAndTheirOrder) {
  const std::vector<std::pair<std::string, std::string>> words = {
      {"red", "rot"}, {"car", "Auto"}, {"dog", "Hund"}, {"old", "alt"}};
  std::string source;
  std::string target;
  Random random{3};
  for (int i = 0; i < 400; ++i) {
    const auto& [first, erst] = words[random.below(4)];
    const auto& [second, zweit] = words[random.below(4)];
    source += first + " " + second + "\n";
    target += zweit + " " + erst + " hier .\n";
  }
  const std::string data =
      "parallel:" + folder_.write("a", source).string() + "," + folder_.write("b", target).string();
  TrainRequest wanted = request(Task::translate, data);
  wanted.task.vocabulary_size = 60;
  wanted.shape.decoder_layers = 1;
  wanted.recipe.dense_epochs = 15;
  const TrainReport report = train(wanted);
  EXPECT_EQ(report.scores[0].measure, Measure::bleu);
  EXPECT_GT(report.scores[0].bleu, 80);
  const Generator generator(model(), 1.0, 1, "cpu");
  for (const int beam : {1, 3}) {
    GenerateSettings settings;
    settings.beam = beam;
    EXPECT_EQ(generator.generate("red dog", settings).text, "Hund rot hier .") << beam;
  }
  wanted.method = Method::budgeted;
  expect_error(ErrorCode::usage, "--task translate is trained with --method dense",
               [&] { train(wanted); });
}

// The plainest and the one with most parts; tests/model has all four.
INSTANTIATE_TEST_SUITE_P(TwoKinds, Tasks,
                         ::testing::Values(AttentionKind::standard, AttentionKind::super));

}  // namespace
}  // namespace headroom
