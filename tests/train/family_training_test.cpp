// Every method on families that differ from BERT in more than names, from a CSV file to a
// checkpoint that runs at every budget; and what training keeps of an imported model.
#include <gtest/gtest.h>

#include "checkpoint/checkpoint.h"
#include "checkpoint/hf/import.h"
#include "checkpoint/make_tokenizer.h"
#include "hf_model.h"
#include "support.h"
#include "train/evaluate/predictor.h"
#include "train/reviews.h"

namespace headroom {
namespace {
using namespace testing;

ModelShape small_modernbert(ModelShape shape) {
  shape.family = "modernbert";
  shape.token_types = 0;
  shape.form = {NormOrder::pre, /*gated_ffn=*/true, /*pooler_norm=*/true, /*biases=*/false};
  shape.rotary = {.theta = 160000, .local_theta = 10000, .window = 3, .global_every = 2};
  shape.mean_pooling = true;
  return shape;
}

ModelShape small_deberta(ModelShape shape) {
  shape.family = "deberta-v2";
  shape.token_types = 0;
  shape.disentangled = {.farthest = 12,
                        .buckets = 8,
                        .content_to_position = true,
                        .position_to_content = true,
                        .shared_projections = true,
                        .norm = true};
  return shape;
}

class FamilyTraining : public ::testing::TestWithParam<ModelShape (*)(ModelShape)> {
 protected:
  TrainRequest request_named(const char* name, Method method) const {
    TrainRequest request = request_for(csv, folder.path() / name);
    request.shape = GetParam()(request.shape);
    request.method = method;
    request.recipe.nested_epochs = 4;
    request.recipe.nested_rate = 3e-3;
    return request;
  }

  TemporaryFolder folder;
  const std::filesystem::path csv = folder.write("train.csv", reviews(200, 1));
  const std::filesystem::path test_csv = folder.write("test.csv", reviews(100, 2));
};

INSTANTIATE_TEST_SUITE_P(Of, FamilyTraining, ::testing::Values(small_modernbert, small_deberta),
                         [](const auto& tested) {
                           return tested.param == small_modernbert ? "modernbert" : "deberta";
                         });

TEST_P(FamilyTraining, NestedRunsAtEveryBudget) {
  TrainRequest request = request_named("nested", Method::nested);
  request.task.eval_data = spec_of(test_csv);
  train_quietly(request);
  for (const auto& score : evaluate_at(request.out, spec_of(test_csv), {0.25, 0.5, 1.0})) {
    EXPECT_GE(score.accuracy, 0.9) << "budget " << score.budget;
  }
}

TEST_P(FamilyTraining, OtherMethodsRunAtABudgetAndFineTuneAgain) {
  for (const Method method : {Method::dense, Method::budgeted, Method::adaptive}) {
    TrainRequest request = request_named("model", method);
    request.recipe.dense_epochs = request.recipe.soft_epochs = request.recipe.hard_epochs = 0.2;
    train_quietly(request);
    const double budget = method == Method::dense ? 1.0 : 0.5;
    EXPECT_GT(Predictor(request.out, budget, 1, "cpu").predict({"dull"}).tokens, 0);
    const ModelShape shape = read_config(request.out).shape;
    EXPECT_EQ(shape.rotary, request.shape.rotary);
    EXPECT_EQ(shape.disentangled, request.shape.disentangled);
    request.init = request.out;
    request.out = folder.path() / "again";
    request.method = Method::dense;
    train_quietly(request);
    EXPECT_EQ(read_config(request.out).shape.family, request.shape.family);
  }
}

// From an imported folder to a trained checkpoint that reads texts with the folder's tokenizer.
class ImportedTraining : public ::testing::Test {
 protected:
  std::filesystem::path trained_from(const std::filesystem::path& hf_folder) {
    import_hf_folder(hf_folder, folder.path() / "init");
    TrainRequest request = request_for(csv, folder.path() / "model");
    request.init = folder.path() / "init";
    request.method = Method::nested;
    request.recipe.dense_epochs = request.recipe.nested_epochs = 0.2;
    train_quietly(request);
    return request.out;
  }

  TemporaryFolder folder;
  const std::filesystem::path csv = folder.write("train.csv", reviews(100, 1));
};

TEST_F(ImportedTraining, KeepsATokenizerThatIsNoListOfWords) {
  const std::filesystem::path model = trained_from(hf_model_folder("xlmr-cls"));
  const auto bytes = [](const std::filesystem::path& file) {
    return read_file(file, ErrorCode::bad_model);
  };
  EXPECT_EQ(bytes(model / "tokenizer.json"), bytes(hf_model_folder("xlmr-cls") / "tokenizer.json"));
  EXPECT_FALSE(std::filesystem::exists(model / "vocab.txt"));
  const Predictor predictor(model, 0.5, 1, "cpu");
  const auto tokenizer = load_tokenizer(model, predictor.config());
  const std::string text = "Größe 12, lovely";
  EXPECT_EQ(predictor.predict({text}).tokens,
            static_cast<int64_t>(tokenizer->encode(text, 12).size()));
}

TEST_F(ImportedTraining, KeepsRowsThatNoTokenHas) {
  const std::filesystem::path from = folder.path() / "hf";
  std::filesystem::copy(hf_model_folder("bert-tiny"), from);
  std::string tokens = read_file(from / "vocab.txt", ErrorCode::bad_model);
  tokens.resize(tokens.rfind('\n', tokens.size() - 2) + 1);
  std::filesystem::remove(from / "vocab.txt");
  folder.write("hf/vocab.txt", tokens);
  const ModelConfig config = read_config(trained_from(from));
  EXPECT_EQ(config.shape.vocabulary, read_config(folder.path() / "init").shape.vocabulary);
  EXPECT_EQ(read_vocabulary(folder.path() / "model", config).size(), config.shape.vocabulary - 1);
}

}  // namespace
}  // namespace headroom
