// Pretraining on replaced tokens: what is filled in, what is minimised, and that both models learn.
#include "train/pretraining/replaced_tokens.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "train/notes.h"
#include "train/pretraining/nested_steps.h"
#include "train/pretraining/pretrain_recipe.h"
#include "train/pretraining/stammer.h"
#include "train/stages/stages.h"

namespace headroom {
namespace {
using testing::Notes;
using testing::stammer;
using testing::stammer_letters;

torch::Tensor ids(const std::vector<int64_t>& values) {
  return torch::tensor(values, torch::kInt64);
}

// One row, of which the second and the fourth token are hidden.
struct HiddenRow {
  Batch original;
  MaskedBatch masked;

  HiddenRow() {
    original.tokens = ids({2, 7, 8, 9, 10}).view({1, 5});
    masked.positions = ids({1, 3});
    masked.answers = ids({7, 9});
  }
};

TEST(FillIn, PutsGuessesWhereTokensWereHidden) {
  const HiddenRow row;
  const FilledBatch filled = fill_in(row.original, row.masked, ids({5, 6}));
  EXPECT_TRUE(torch::equal(filled.batch.tokens, ids({2, 5, 8, 6, 10}).view({1, 5})));
  EXPECT_TRUE(torch::equal(filled.replaced.to(torch::kInt64), ids({0, 1, 0, 1, 0}).view({1, 5})));
}

TEST(FillIn, ARightGuessReplacesNothing) {
  const HiddenRow row;
  const FilledBatch filled = fill_in(row.original, row.masked, ids({7, 6}));
  EXPECT_TRUE(torch::equal(filled.replaced.to(torch::kInt64), ids({0, 0, 0, 1, 0}).view({1, 5})));
}

TEST(FillIn, ATokenThatWasNotAskedForStays) {
  HiddenRow row;
  row.masked.answers = ids({7, -100});
  const FilledBatch filled = fill_in(row.original, row.masked, ids({5, 6}));
  EXPECT_TRUE(torch::equal(filled.batch.tokens, ids({2, 5, 8, 9, 10}).view({1, 5})));
}

TEST(SampleTokens, FollowTheSoftmax) {
  torch::manual_seed(1);
  const torch::Tensor logits = torch::log(torch::tensor({0.6F, 0.3F, 0.1F}));
  const torch::Tensor drawn = sample_tokens(logits.expand({20'000, 3}).contiguous());
  for (const auto& [token, share] : {std::pair{0, 0.6}, {1, 0.3}, {2, 0.1}}) {
    EXPECT_NEAR((drawn == token).to(torch::kFloat64).mean().item<double>(), share, 0.02) << token;
  }
}

TEST(SampleTokens, TakeWhatIsCertain) {
  const torch::Tensor logits = torch::tensor({{0.0F, 90.0F, 0.0F}, {90.0F, 0.0F, 0.0F}});
  EXPECT_TRUE(torch::equal(sample_tokens(logits), ids({1, 0})));
}

// The formula, with loops.
TEST(ReplacementLoss, IsTheGeneratorsPlusFiftyTimesTheEncoders) {
  const std::vector<std::vector<float>> words = {{1.0F, -0.5F, 0.25F}, {0.0F, 2.0F, -1.0F}};
  const std::vector<int64_t> answers = {2, 1};
  double generator = 0;
  for (size_t i = 0; i < words.size(); ++i) {
    double sum = 0;
    for (const float logit : words[i]) sum += std::exp(logit);
    generator += (std::log(sum) - words[i][static_cast<size_t>(answers[i])]) / 2;
  }
  const std::vector<float> logits = {-2.0F, 0.5F, 1.5F, -0.25F};
  const std::vector<bool> replaced = {false, true, false, true};
  double encoder = 0;
  for (size_t i = 0; i < logits.size(); ++i) {
    const double p = 1 / (1 + std::exp(-logits[i]));
    encoder -= std::log(replaced[i] ? p : 1 - p) / 4;
  }
  const torch::Tensor loss = replacement_loss(
      torch::tensor({{1.0F, -0.5F, 0.25F}, {0.0F, 2.0F, -1.0F}}), ids(answers),
      torch::tensor(logits).view({2, 2}), ids({0, 1, 0, 1}).to(torch::kBool).view({2, 2}));
  EXPECT_NEAR(loss.item<double>(), generator + 50 * encoder, 1e-4);
}

struct Detecting : testing::StammerModel {
  Detecting() : StammerModel(OutputHead::none, 36, 12) {
    masks.share = masks.share_at_end = 0.25;
    masks.masked = 1;
    masks.random = 0;
    model.detection = fresh_detection();
  }
  TokenDetection fresh_detection() const {
    return pretraining_detection(model.shape, 0.25, 0.25, 1,
                                 log_frequencies(stammer(stammer_letters), masks), torch::kCPU);
  }
  void run(int64_t steps) {
    train(replaced_tokens_stage({masks}, validation), 5e-3, steps, /*keep_best=*/false);
  }
  Validation validate() { return replaced_tokens_stage({masks}, validation)->validate(model); }
  torch::Tensor loss(double nested = 0, uint64_t seed = 1) {
    const auto stage = replaced_tokens_stage({.masks = masks, .nested = nested}, validation);
    Random random{seed};
    SilentProgress silent;
    stage->prepare(model, random, silent);
    torch::manual_seed(1);
    return stage->loss(model, validation[0], random);
  }
};

TEST(ReplacedTokensStage, TeachesTheGeneratorAndTheEncoder) {
  Detecting detecting;
  const Validation before = detecting.validate();
  detecting.run(100);
  const Validation after = detecting.validate();
  EXPECT_LT(after.detail("generator_loss"), 0.8 * before.detail("generator_loss"));
  EXPECT_LT(after.detail("loss"), 0.5 * before.detail("loss"));
  // Against the generator of the start, which knows nothing: what the encoder has learned itself.
  detecting.model.detection->generator = detecting.fresh_detection().generator;
  const Validation against_chance = detecting.validate();
  EXPECT_GT(against_chance.score, 0.7) << "found";
  EXPECT_GT(against_chance.detail("precision"), 0.8);
  EXPECT_LT(before.score, 0.5);
}

TEST(ReplacedTokensStage, ValidatesOnTheSameDiceEveryTime) {
  Detecting detecting;
  torch::manual_seed(1);
  const Validation first = detecting.validate();
  torch::manual_seed(2);
  EXPECT_EQ(detecting.validate().details, first.details);
}

TEST(ReplacedTokensStage, SaysWhatItMeasures) {
  Detecting detecting;
  const Validation validation = detecting.validate();
  EXPECT_NE(validation.summary.find("% of replaced, detection loss"), std::string::npos);
  EXPECT_NE(validation.summary.find("generator"), std::string::npos);
}

TEST(ReplacedTokensStage, WatchesTheGeneratorsPlateau) {
  Detecting detecting;
  Notes notes;
  const PlateauWatch watch{.frequency_loss = 0.1, .from_step = 1, .rate = 1e-3, .progress = &notes};
  const auto stage =
      replaced_tokens_stage({.masks = detecting.masks, .watch = watch}, detecting.validation);
  stage->advance(0);
  const double loss = stage->validate(detecting.model).detail("generator_loss");
  ASSERT_EQ(notes.lines.size(), 1U);
  EXPECT_TRUE(notes.hold(fmt::format("the loss, {:.2f}", loss))) << notes.lines[0];
}

// All gradients after a step's loss, by name.
std::map<std::string, torch::Tensor> gradients(Detecting& detecting, const torch::Tensor& loss) {
  loss.backward();
  std::map<std::string, torch::Tensor> found;
  const auto keep = [&](const std::string& name, torch::Tensor& tensor) {
    found[name] = tensor.grad().clone();
  };
  for_each_tensor(detecting.model.weights, keep);
  for_each_tensor(*detecting.model.detection, keep);
  return found;
}

TEST(ReplacedTokensStage, NoGradientPassesASampledToken) {
  Detecting together;
  const Parameters parameters(together.model, {});
  const auto both = gradients(together, together.loss());

  Detecting alone;
  const Parameters of_alone(alone.model, {});
  torch::manual_seed(1);
  const MaskedBatch masked = hide_tokens(alone.validation[0], alone.masks, alone.masks.share);
  const ModelWeights generator = with_tables(alone.model.detection->generator, alone.model.weights);
  const auto own = gradients(
      alone, torch::cross_entropy_loss(hidden_logits(generator, masked, alone.model.training()),
                                       masked.answers));
  for (const auto& [name, gradient] : own) {
    if (name.rfind("generator.", 0) != 0) continue;
    EXPECT_GT(gradient.abs().max().item<double>(), 0) << name;
    EXPECT_TRUE(torch::allclose(gradient, both.at(name))) << name;
  }
}

TEST(ReplacedTokensStage, TrainsEveryTensorAndTheTablesOnce) {
  Detecting detecting;
  const Parameters parameters(detecting.model, {});
  const auto found = gradients(detecting, detecting.loss());
  for (const auto& [name, gradient] : found) {
    if (name.find("key.bias") != std::string::npos) continue;  // moves all scores of a row alike
    EXPECT_GT(gradient.abs().max().item<double>(), 0) << name;
  }
  EXPECT_EQ(found.count("generator.electra.embeddings.word_embeddings.weight"), 0U);
  EXPECT_EQ(found.count("generator.electra.embeddings_project.weight"), 1U);
}

TEST(CopyModel, SharesNoneOfTheDetection) {
  Detecting detecting;
  ElasticModel copy = copy_model(detecting.model);
  copy.detection->head.output.weight.fill_(7);
  copy.detection->generator.embedding_projection.weight.fill_(7);
  EXPECT_NE(detecting.model.detection->head.output.weight[0][0].item<float>(), 7);
  EXPECT_NE(detecting.model.detection->generator.embedding_projection.weight[0][0].item<float>(),
            7);
}

TEST(NestedSteps, RunTheWholeModelUnlessAskedFor) {
  Detecting detecting;
  const NestedSteps none(0);
  none.prepare(detecting.model);
  EXPECT_FALSE(detecting.model.order);
  Random random{1};
  for (int step = 0; step < 20; ++step) {
    EXPECT_EQ(none.weights_for(detecting.model, random).layers[0].attention.heads, 4);
  }
}

TEST(NestedSteps, RunPrefixesAtTheirShareOfTheSteps) {
  Detecting detecting;
  const NestedSteps half(0.5);
  half.prepare(detecting.model);
  Random random{1};
  int prefixes = 0;
  for (int step = 0; step < 1000; ++step) {
    const ModelWeights weights = half.weights_for(detecting.model, random);
    const LayerWeights& layer = weights.layers[0];
    if (layer.attention.heads < 4 || layer.up.weight.size(0) < 64) ++prefixes;
  }
  // An eighth of the draws is budget 1, and those just below it may round to it.
  EXPECT_GT(prefixes, 350);
  EXPECT_LT(prefixes, 500);
}

// Of a step that runs at less than half of the model.
uint64_t seed_of_a_small_budget() {
  for (uint64_t seed = 1;; ++seed) {
    Random random{seed};
    random.uniform();  // whether the step is nested
    if (draw_budget({}, random) < 0.5) return seed;
  }
}

TEST(NestedSteps, TrainTheFirstUnitsAlone) {
  Detecting detecting;
  const Parameters parameters(detecting.model, {});
  const auto found = gradients(detecting, detecting.loss(/*nested=*/1, seed_of_a_small_budget()));
  const torch::Tensor neurons = found.at("bert.encoder.layer.0.intermediate.dense.bias").abs();
  EXPECT_GT(neurons[0].item<double>(), 0);
  EXPECT_EQ(neurons[-1].item<double>(), 0);
}

}  // namespace
}  // namespace headroom
