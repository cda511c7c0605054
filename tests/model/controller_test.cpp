// Heads chosen per input: the executor that skips the others against the masked reference, and both
// against plain numbers.
#include "model/controller.h"

#include <gtest/gtest.h>

#include "model/head_dispatch.h"
#include "model/random_models.h"

namespace headroom {
namespace {
using namespace testing;

ModelShape random_adaptive_shape(Random& random) {
  ModelShape shape = random_shape(random);
  shape.controller = 1 + static_cast<int64_t>(random.below(8));
  return shape;
}

// Controllers decisive enough for every count of heads to come up.
ModelWeights random_adaptive_weights(const ModelShape& shape, uint64_t seed) {
  ModelWeights weights = random_weights(shape, seed);
  Random random{seed, 1};
  for (LayerWeights& layer : weights.layers) {
    Linear& budget = layer.controller->budget;
    budget.weight = random_tensor(budget.weight.sizes(), 3.0, random);
  }
  return weights;
}

struct Outcome {
  torch::Tensor logits;
  ChoiceTrace trace;
};

Outcome run(const ModelWeights& weights, const Batch& batch, const HeadLimit& limit, bool skip,
            const ChoiceOverride& override = {}) {
  const torch::InferenceMode inference;
  Outcome outcome;
  ForwardOptions options;
  options.choose = choose_by_controller(weights, limit, override, &outcome.trace);
  options.skip = skip;
  outcome.logits = forward(weights, batch, options);
  return outcome;
}

TEST(Controller, SkippingEqualsMaskingOnRandomBatches) {
  Random random{1};
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const ModelShape shape = random_adaptive_shape(random);
    const ModelWeights weights = random_adaptive_weights(shape, seed);
    const Batch batch = random_batch(shape, random_lengths(random), random);
    const HeadLimit limit = even_limit(shape, 1.0 - random.uniform());
    EXPECT_LT(largest_difference(run(weights, batch, limit, true).logits,
                                 run(weights, batch, limit, false).logits),
              1e-5)
        << attention_name(shape.attention) << ", batch of " << batch.size();
  }
}

TEST(Controller, OneHeadAndAllHeadsAreChoicesToo) {
  Random random{2};
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const ModelShape shape = random_adaptive_shape(random);
    const ModelWeights weights = random_adaptive_weights(shape, seed);
    const Batch batch = random_batch(shape, {3, 11, 1, 20}, random);
    const HeadLimit limit = even_limit(shape, 1.0);
    const torch::Tensor one = run(weights, batch, limit, true, {1e-6, false}).logits;
    EXPECT_LT(largest_difference(one, run(weights, batch, limit, false, {1e-6, false}).logits),
              1e-5);
    const torch::Tensor all = run(weights, batch, limit, true, {1.0, false}).logits;
    EXPECT_LT(largest_difference(all, forward(weights, batch)), 1e-5);
  }
}

TEST(Controller, ChoosesAsPlainNumbersDo) {
  Random random{3};
  for (uint64_t seed = 0; seed < 20; ++seed) {
    ModelShape shape = random_adaptive_shape(random);
    const ModelWeights weights = random_adaptive_weights(shape, seed);
    const Batch batch = random_batch(shape, random_lengths(random), random);
    GateParameters gates{shape.layers, shape.heads, {}, {unit_slope}};
    for (int64_t i = 0; i < shape.total_heads(); ++i) gates.offset.push_back(random.normal());
    const HeadLimit limit = gated_limit(gates, 0.4, 0.5);
    const ChoiceTrace trace = run(weights, batch, limit, false).trace;
    for (int64_t layer = 0; layer < shape.layers; ++layer) {
      const HeadRequest& request = trace.requests[static_cast<size_t>(layer)];
      for (int64_t row = 0; row < batch.size(); ++row) {
        std::vector<double> scores;
        for (int64_t head = 0; head < shape.heads; ++head) {
          scores.push_back(limit.score(layer, head, request.relevance[row][head].item<double>()));
        }
        const int64_t count = std::min(heads_needed(request.share[row].item<double>(), shape.heads),
                                       limit.most[static_cast<size_t>(layer)]);
        std::vector<int32_t> best(static_cast<size_t>(count));
        best_heads(scores, best);
        torch::Tensor expected = torch::zeros({shape.heads});
        for (const int32_t head : best) expected[head] = 1;
        EXPECT_TRUE(torch::equal(trace.chosen[static_cast<size_t>(layer)][row], expected));
      }
    }
  }
}

TEST(Controller, DoesNotReadPadding) {
  Random random{4};
  const ModelShape shape = random_adaptive_shape(random);
  const ModelWeights weights = random_adaptive_weights(shape, 4);
  Random same{5};
  const Batch tight = random_batch(shape, {6}, same);
  Random again{5};
  const Batch padded = random_batch(shape, {6}, again, 15);
  const HeadLimit limit = even_limit(shape, 1.0);
  const HeadRequest a = run(weights, tight, limit, false).trace.requests.back();
  const HeadRequest b = run(weights, padded, limit, false).trace.requests.back();
  EXPECT_LT(largest_difference(a.share, b.share), 1e-5);
  EXPECT_LT(largest_difference(a.relevance, b.relevance), 1e-4);
}

}  // namespace
}  // namespace headroom
