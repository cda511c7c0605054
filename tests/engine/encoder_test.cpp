// The forward pass against the same network in plain double precision.
#include "engine/encoder/encoder.h"

#include <gtest/gtest.h>

#include <vector>

#include "engine/agreement.h"
#include "engine/model.h"
#include "engine/worker.h"

namespace headroom {
namespace {

using testing::expect_error;
using testing::logit_error;
using testing::random_ids;
using testing::RandomCheckpoint;
using testing::run;

ModelShape small_shape() {
  ModelShape shape;
  shape.layers = 3;
  shape.width = 48;
  shape.heads = 3;
  shape.ffn = 80;
  shape.positions = 70;
  shape.labels = 3;
  return shape;
}

// Every instruction set in every precision, and how far the root mean square of the logits' errors
// may go (logits here are near 1). bfloat16 and int8 keep 8 bits of every number: they are compared
// loosely here, their kernels exactly in kernels_test.
struct Setting {
  Isa isa;
  Precision precision;
  double tolerance;
};

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const Isa isa : usable_isas()) {
    all.push_back({isa, Precision::fp32, 2e-6});
    all.push_back({isa, Precision::bf16, 0.03});
    all.push_back({isa, Precision::int8, 0.06});
  }
  return all;
}

class EncoderOn : public ::testing::TestWithParam<Setting> {
 protected:
  static EngineOptions options() { return {GetParam().precision, GetParam().isa}; }

  static void expect_agreement(const RandomCheckpoint& checkpoint,
                               const std::vector<Tokens>& sequences, const Selection& selection,
                               const std::filesystem::path& path) {
    const auto model = EngineModel::load(path, options());
    EXPECT_LT(logit_error(*model, checkpoint, sequences, selection), GetParam().tolerance);
  }

  static void expect_agreement(const RandomCheckpoint& checkpoint, const Selection& selection) {
    expect_agreement(checkpoint, selection, checkpoint.path());
  }

  // Sequences of mixed lengths, pairs among them.
  static void expect_agreement(const RandomCheckpoint& checkpoint, const Selection& selection,
                               const std::filesystem::path& path) {
    Random random{7};
    std::vector<Tokens> inputs;
    for (const int64_t length : {1, 2, 9, 16, 17, 33, 70}) {
      inputs.push_back({random_ids(random, length), {}});
      if (length % 3 == 0 && checkpoint.config().shape.token_types > 1) {
        inputs.back().types.resize(static_cast<size_t>(length));
        for (int64_t t = length / 3; t < length; ++t) {
          inputs.back().types[static_cast<size_t>(t)] = 1;
        }
      }
    }
    expect_agreement(checkpoint, inputs, selection, path);
  }
};

INSTANTIATE_TEST_SUITE_P(All, EncoderOn, ::testing::ValuesIn(settings()), [](const auto& tested) {
  return std::string(isa_name(tested.param.isa)) + "_" +
         std::string(precision_table.name(tested.param.precision));
});

TEST_P(EncoderOn, AllHeadsAgreeWithThePlainModel) {
  const RandomCheckpoint checkpoint(small_shape());
  expect_agreement(checkpoint, all_heads(3, 3));
}

TEST_P(EncoderOn, OddWidthsAgreeWithThePlainModel) {
  ModelShape shape = small_shape();
  shape.width = 33;  // heads of 11, an odd number of everything
  shape.ffn = 51;
  shape.labels = 17;
  expect_agreement(RandomCheckpoint(shape), all_heads(3, 3));
}

TEST_P(EncoderOn, WideHeadsAgreeWithThePlainModel) {
  ModelShape shape = small_shape();
  shape.width = 80;
  shape.heads = 2;
  expect_agreement(RandomCheckpoint(shape), all_heads(3, 2));
}

TEST_P(EncoderOn, ArbitraryHeadsAgreeWithThePlainModel) {
  const RandomCheckpoint checkpoint(small_shape());
  expect_agreement(checkpoint, {3, {{1}, {0, 2}, {2}}, {}});
}

TEST_P(EncoderOn, FfnPrefixesAgreeWithThePlainModel) {
  const RandomCheckpoint checkpoint(small_shape());
  expect_agreement(checkpoint, {3, {{0}, {0, 1}, {0, 1, 2}}, {16, 37, 80}});
}

TEST_P(EncoderOn, SkippedBlocksAgreeWithThePlainModel) {
  const RandomCheckpoint checkpoint(small_shape());
  expect_agreement(checkpoint, {3, {{}, {0, 1, 2}, {1}}, {80, 0, 7}});
  expect_agreement(checkpoint, {3, {{1}, {}, {}}, {0, 80, 5}});
}

TEST_P(EncoderOn, AModelWithoutAnyHeadAgreesWithThePlainModel) {
  const RandomCheckpoint checkpoint(small_shape());
  expect_agreement(checkpoint, {3, {{}, {}, {}}, {80, 16, 0}});
}

TEST_P(EncoderOn, EveryBudgetOfANestedModelAgreesWithThePlainModel) {
  const RandomCheckpoint checkpoint(small_shape());
  for (const double budget : {0.1, 0.4, 0.7, 1.0}) {
    expect_agreement(checkpoint, checkpoint.config().selection(budget));
  }
}

TEST_P(EncoderOn, EveryFamilyAgreesWithThePlainModel) {
  std::vector<ModelShape> shapes = testing::family_shapes(small_shape());
  shapes.push_back(shapes.back());
  shapes.back().width = 96;  // heads of full tiles
  for (const ModelShape& shape : shapes) {
    SCOPED_TRACE(shape.family);
    const RandomCheckpoint checkpoint(shape);
    const Selection some = {3, {{1}, {0, 2}, {2}}, {16, 37, 80}};
    expect_agreement(checkpoint, some);
    expect_agreement(checkpoint, some, checkpoint.write_compact(some));
  }
}

TEST_P(EncoderOn, EveryActivationAgreesWithThePlainModel) {
  for (const ActivationKind kind : {ActivationKind::gelu_tanh, ActivationKind::quick_gelu,
                                    ActivationKind::silu, ActivationKind::relu}) {
    SCOPED_TRACE(activation_name(kind));
    ModelShape shape = small_shape();
    shape.activation = kind;
    shape.embedding = 40;
    expect_agreement(RandomCheckpoint(shape), all_heads(3, 3));
  }
}

TEST_P(EncoderOn, EveryAttentionAgreesWithThePlainModel) {
  for (const AttentionKind kind :
       {AttentionKind::optimized, AttentionKind::efficient, AttentionKind::super}) {
    SCOPED_TRACE(attention_name(kind));
    ModelShape shape = small_shape();
    shape.attention = kind;
    shape.width = 33;  // heads of 11: what is read beside a head's columns must not count
    const RandomCheckpoint checkpoint(shape);
    expect_agreement(checkpoint, {3, {{0, 1, 2}, {0, 2}, {2}}, {80, 5, 16}});
    expect_agreement(checkpoint, {3, {{1}, {}, {}}, {16, 0, 16}});
  }
}

TEST_P(EncoderOn, ACompactModelAgreesWithTheWholeModelAtItsSelection) {
  for (const AttentionKind kind : {AttentionKind::standard, AttentionKind::super}) {
    SCOPED_TRACE(attention_name(kind));
    ModelShape shape = small_shape();
    shape.attention = kind;
    const RandomCheckpoint checkpoint(shape);
    const Selection stored = {3, {{1, 2}, {0}, {}}, {48, 0, 17}};
    const auto path = checkpoint.write_compact(stored);
    expect_agreement(checkpoint, {3, {{2}, {0}, {}}, {16, 0, 17}}, path);
  }
}

TEST_P(EncoderOn, ATextGetsTheSameBitsAloneAndInABatch) {
  const RandomCheckpoint checkpoint(small_shape());
  const auto model = EngineModel::load(checkpoint.path(), options());
  const Selection selection = checkpoint.config().selection(0.6);
  Random random{3};
  std::vector<Tokens> sequences(40);
  for (Tokens& each : sequences) each.ids = random_ids(random, 1 + random.below(70));
  const std::vector<float> together = run(*model, sequences, selection);
  for (size_t i = 0; i < sequences.size(); ++i) {
    const std::vector<float> alone = run(*model, {&sequences[i], 1}, selection);
    const auto first = together.begin() + static_cast<ptrdiff_t>(i * 3);
    EXPECT_EQ(alone, std::vector<float>(first, first + 3)) << i;
  }
}

// A CPU's own kernel for all heads needs AMX; the plain one shows everywhere that the encoder
// places and reads heads as such a kernel expects them.
TEST(Encoder, HeadsInOneKernelAgreeWithHeadsMadeOfProducts) {
  ModelShape shape = small_shape();
  shape.width = 96;
  for (const AttentionKind kind : {AttentionKind::standard, AttentionKind::optimized,
                                   AttentionKind::efficient, AttentionKind::super}) {
    shape.attention = kind;
    const RandomCheckpoint checkpoint(shape);
    const auto model = EngineModel::load(checkpoint.path(), {Precision::bf16, Isa::portable});
    const Plan plan = make_plan(model->weights(), {3, {{0, 1, 2}, {0, 2}, {1}}, {}});
    Kernels kernels = model->kernels();
    kernels.attend_heads = kernels::reference_table().attend_heads;
    kernels.attend_query = kernels::reference_table().attend_heads;
    Random random{6};
    for (const int64_t length : {1, 2, 17, 33, 70}) {
      const Tokens sequence{random_ids(random, length)};
      Arena arena;
      std::vector<float> of_products(3);
      std::vector<float> of_one(3);
      model->encoder().run({&sequence, 1}, plan, of_products, arena);
      Encoder(model->weights(), kernels, model->head()).run({&sequence, 1}, plan, of_one, arena);
      for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(of_one[i], of_products[i], 0.05) << length;
    }
  }
}

TEST(Encoder, APlanForEachSequenceGivesTheBitsOfACallForEach) {
  const RandomCheckpoint checkpoint(small_shape());
  const auto model = EngineModel::load(checkpoint.path());
  const std::vector<Selection> selections = {checkpoint.config().selection(0.3),
                                             checkpoint.config().selection(1),
                                             {3, {{2}, {1}, {0, 2}}, {}}};
  std::vector<Plan> plans;
  for (const Selection& selection : selections) {
    plans.push_back(make_plan(model->weights(), selection));
  }
  Random random{5};
  std::vector<Tokens> sequences;
  std::vector<size_t> which;
  std::vector<const Plan*> chosen;
  for (size_t i = 0; i < 50; ++i) {
    sequences.push_back({random_ids(random, 1 + static_cast<int64_t>(random.below(70)))});
    which.push_back(i < 35 ? 0 : random.below(3));  // a long run of one plan, then mixed
    chosen.push_back(&plans[which.back()]);
  }
  Arena arena;
  std::vector<float> together(sequences.size() * 3);
  model->encoder().run(sequences, chosen, together, arena);
  for (size_t i = 0; i < sequences.size(); ++i) {
    const std::vector<float> alone = run(*model, {&sequences[i], 1}, selections[which[i]]);
    const auto first = together.begin() + static_cast<ptrdiff_t>(i * 3);
    EXPECT_EQ(alone, std::vector<float>(first, first + 3)) << i;
  }
}

TEST(Encoder, RefusesWhatTheModelDoesNotHave) {
  const RandomCheckpoint checkpoint(small_shape());
  const auto model = EngineModel::load(checkpoint.path());
  const auto refused = [&](std::string_view fragment, std::vector<int32_t> ids,
                           std::vector<int32_t> types) {
    const Tokens sequence{ids, types};
    expect_error(ErrorCode::usage, fragment, [&] { run(*model, {&sequence, 1}, all_heads(3, 3)); });
  };
  refused("0 tokens, the model takes 1 to 70", {}, {});
  refused("71 tokens", std::vector<int32_t>(71, 1), {});
  refused("token id 31", {1, 31}, {});
  refused("token id -1", {-1}, {});
  refused("token type 2", {1}, {2});
  refused("1 token types for 2 tokens", {1, 1}, {0});
}

TEST(Plan, RefusesASelectionOfAnotherModel) {
  const RandomCheckpoint checkpoint(small_shape());
  const auto model = EngineModel::load(checkpoint.path());
  const auto refused = [&](std::string_view fragment, const Selection& selection) {
    expect_error(ErrorCode::usage, fragment, [&] { make_plan(model->weights(), selection); });
  };
  refused("2 layers, the model 3", all_heads(2, 3));
  refused("head 3 of layer 0", all_heads(3, 4));
  refused("head 0 of layer 0", {3, {{1, 0}, {0}, {0}}, {}});
  refused("81 FFN neurons", {3, {{0}, {0}, {0}}, {1, 81, 1}});
}

TEST(Plan, RefusesWhatACompactModelLeftOut) {
  const RandomCheckpoint checkpoint(small_shape());
  const auto model =
      EngineModel::load(checkpoint.write_compact({3, {{1, 2}, {0}, {0}}, {48, 80, 16}}));
  const auto refused = [&](std::string_view fragment, const Selection& selection) {
    expect_error(ErrorCode::usage, fragment, [&] { make_plan(model->weights(), selection); });
  };
  refused("head 0 of layer 0", {3, {{0}, {0}, {0}}, {48, 80, 16}});
  refused("64 FFN neurons in layer 0, the model has 48", {3, {{1}, {0}, {0}}, {64, 80, 16}});
  expect_error(ErrorCode::usage, "runs at budget 1 only", [&] { model->plan(0.5); });
}

TEST(Plan, NeighbouringHeadsAreOneRange) {
  const RandomCheckpoint checkpoint(small_shape());
  const auto model = EngineModel::load(checkpoint.path());
  const Plan plan = make_plan(model->weights(), {3, {{0, 1, 2}, {0, 2}, {}}, {}});
  ASSERT_EQ(plan.layers[0].output_segments.size(), 1U);
  EXPECT_EQ(plan.layers[0].output_segments[0].length, 48);
  ASSERT_EQ(plan.layers[1].output_segments.size(), 2U);
  EXPECT_EQ(plan.layers[1].output_segments[1].a, 16);
  EXPECT_EQ(plan.layers[1].output_segments[1].b, 32);
  EXPECT_EQ(plan.last_attention, 1);
}

}  // namespace
}  // namespace headroom
