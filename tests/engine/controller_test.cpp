// Models that choose heads per sequence, against the same choice in plain double precision.
#include "engine/encoder/controller.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/model.h"
#include "engine/random_model.h"
#include "engine/worker.h"

namespace headroom {
namespace {

using testing::RandomCheckpoint;
using testing::Tensors;

ModelShape adaptive_shape(AttentionKind kind) {
  ModelShape shape;
  shape.layers = 3;
  shape.width = 48;
  shape.heads = 6;
  shape.ffn = 40;
  shape.positions = 40;
  shape.labels = 3;
  shape.attention = kind;
  shape.controller = 5;
  return shape;
}

std::vector<Tokens> inputs_of_mixed_lengths() {
  Random random{7};
  std::vector<Tokens> inputs;
  for (const int64_t length : {1, 2, 9, 17, 33, 40, 5}) {
    inputs.emplace_back();
    for (int64_t i = 0; i < length; ++i) {
      inputs.back().ids.push_back(static_cast<int32_t>(random.below(30)));
    }
  }
  return inputs;
}

struct Outcome {
  std::vector<float> logits;
  std::vector<int64_t> heads;
};

Outcome run(const EngineModel& model, const std::vector<Tokens>& inputs, const Plan& plan) {
  const std::vector<const Plan*> plans(inputs.size(), &plan);
  const auto labels = static_cast<size_t>(model.config().shape.labels);
  Outcome result{std::vector<float>(inputs.size() * labels), std::vector<int64_t>(inputs.size())};
  Arena arena;
  model.encoder().run(inputs, plans, result.logits, arena, result.heads);
  return result;
}

TEST(Controller, RunsTheHeadsThatPlainArithmeticChooses) {
  const std::vector<Tokens> inputs = inputs_of_mixed_lengths();
  for (const AttentionKind kind : all_attention_kinds) {
    const RandomCheckpoint checkpoint(adaptive_shape(kind));
    for (const Isa isa : usable_isas()) {
      const auto model = EngineModel::load(checkpoint.path(), {Precision::fp32, isa});
      for (const double budget : {1.0, 0.5, 0.01}) {
        const Outcome actual = run(*model, inputs, model->plan(budget));
        for (size_t i = 0; i < inputs.size(); ++i) {
          int64_t chosen = 0;
          const std::vector<double> expected =
              checkpoint.plain().logits(inputs[i], checkpoint.config().head_limit(budget), chosen);
          EXPECT_EQ(actual.heads[i], chosen) << attention_name(kind) << " at " << budget;
          for (size_t n = 0; n < expected.size(); ++n) {
            EXPECT_NEAR(actual.logits[i * expected.size() + n], expected[n], 1e-5);
          }
        }
      }
    }
  }
}

TEST(Controller, ChoosesMoreForSomeTextsThanForOthers) {
  const RandomCheckpoint checkpoint(adaptive_shape(AttentionKind::standard));
  const auto model = EngineModel::load(checkpoint.path());
  const Outcome actual = run(*model, inputs_of_mixed_lengths(), model->plan(1.0));
  const auto [least, most] = std::minmax_element(actual.heads.begin(), actual.heads.end());
  EXPECT_LT(*least, *most);
  EXPECT_GE(*least, 3) << "one head of every layer";
}

// Whatever it reads, each controller asks for heads 1, 2 and 5.
void always_three_heads(Tensors& tensors) {
  for (auto& [name, values] : tensors) {
    if (name.find(".controller.") == std::string::npos) continue;
    std::fill(values.begin(), values.end(), 0.0F);  // s = 0.5
    if (name.ends_with("relevance.bias")) values = {0, 3, 2, 0, 0, 1};
  }
}

TEST(Controller, AChoiceThatReadsNothingHasTheBitsOfASelection) {
  const std::vector<Tokens> inputs = inputs_of_mixed_lengths();
  const Selection three{6, {{1, 2, 5}, {1, 2, 5}, {1, 2, 5}}, {}};
  for (const AttentionKind kind : all_attention_kinds) {
    const RandomCheckpoint checkpoint(adaptive_shape(kind), 1, always_three_heads);
    for (const Isa isa : usable_isas()) {
      for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::int8}) {
        const auto model = EngineModel::load(checkpoint.path(), {precision, isa});
        const Outcome chosen = run(*model, inputs, model->plan(1.0));
        EXPECT_EQ(chosen.logits, run(*model, inputs, make_plan(model->weights(), three)).logits)
            << isa_name(isa) << " " << precision_table.name(precision) << " "
            << attention_name(kind);
        EXPECT_EQ(chosen.heads, std::vector<int64_t>(inputs.size(), 9));
      }
    }
  }
}

TEST(Controller, AnAnswerTellsTheHeadsOfItsText) {
  const RandomCheckpoint checkpoint(adaptive_shape(AttentionKind::standard));
  Worker worker(EngineModel::load(checkpoint.path()));
  const std::vector<Tokens> inputs = inputs_of_mixed_lengths();
  const Outcome alone = run(worker.model(), inputs, worker.model().plan(0.5));
  const std::vector<Answer> answers = worker.run(inputs, std::vector<double>(inputs.size(), 0.5));
  for (size_t i = 0; i < inputs.size(); ++i) {
    EXPECT_EQ(answers[i].active_heads, static_cast<double>(alone.heads[i]) / 18.0);
    EXPECT_LE(answers[i].active_heads, 0.5);
  }
}

}  // namespace
}  // namespace headroom
