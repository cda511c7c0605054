// Families that differ from BERT in more than names: what Transformers computed, libtorch and the
// engine on networks of odd sizes, and the forms of a budget.
#include <gtest/gtest.h>

#include "budget/cost.h"
#include "checkpoint/hf/export.h"
#include "checkpoint/imported_network.h"
#include "engine/model.h"
#include "hf_model.h"
#include "model/forward.h"
#include "model/random_families.h"
#include "model/slice.h"
#include "model/weights_io.h"
#include "support.h"

namespace headroom {
namespace {
using namespace testing;

constexpr uint64_t models = 8;

ForwardOptions options_of(const ModelConfig& config) {
  ForwardOptions options;
  options.layer_norm_eps = config.layer_norm_eps;
  return options;
}

TEST(ImportedNetwork, GivesTheLogitsOfTransformersInLibtorch) {
  for (const char* name : {"modernbert-cls", "deberta-v2-cls"}) {
    const TemporaryFolder folder;
    const ModelConfig config = import_network(hf_model_folder(name), folder.path() / "model");
    const ModelWeights weights = load_weights(folder.path() / "model", config);
    for (const HfCase& each : hf_cases(name)) {
      // Padded: neither a window nor a mean may see it.
      const auto T = static_cast<int64_t>(each.tokens.ids.size());
      const int64_t padding = std::min<int64_t>(20, config.shape.positions - T);
      Batch batch;
      batch.tokens = torch::tensor(each.tokens.ids, torch::kInt64).unsqueeze(0);
      batch.tokens = torch::cat({batch.tokens, torch::ones({1, padding}, torch::kInt64)}, 1);
      batch.key_bias = torch::zeros({1, 1, 1, T + padding});
      batch.key_bias.slice(-1, T).fill_(-std::numeric_limits<float>::infinity());
      const torch::Tensor logits = forward(weights, batch, options_of(config)).squeeze(0);
      const torch::Tensor expected = torch::tensor(each.logits, torch::kFloat32);
      EXPECT_LT(largest_difference(logits, expected), 5e-5) << name << ": " << each.text;
    }
  }
}

// A network of a family with random weights, as a checkpoint.
struct RandomNetwork {
  explicit RandomNetwork(uint64_t seed) {
    Random random{seed, 0x66616d696c79};
    config.shape = random_family(seed, random);
    config.layer_norm_eps = 1e-5;
    for (int64_t i = 0; i < config.shape.labels; ++i) config.labels.push_back(std::to_string(i));
    config.method = Method::nested;
    config.order = uniform_order(config.shape, 1);
    weights = random_weights(config.shape, seed);
    ModelWeights stored = copy_weights(weights);
    write_checkpoint(path(), {config, numbered_words(config.shape.vocabulary), "", "",
                              tensor_views(stored, DType::f32)});
    for (const int64_t length : {int64_t{1}, int64_t{17}, int64_t{52}, config.shape.positions}) {
      batches.push_back(random_batch(config.shape, {length}, random));
    }
  }

  std::filesystem::path path() const { return folder.path() / "model"; }

  TemporaryFolder folder;
  ModelConfig config;
  ModelWeights weights;
  std::vector<Batch> batches;  // a text each
};

torch::Tensor engine_logits(const EngineModel& model, const Batch& batch, double budget) {
  Arena arena;
  Tokens tokens;
  for (int64_t i = 0; i < batch.length(); ++i) {
    tokens.ids.push_back(batch.tokens[0][i].item<int32_t>());
    if (model.config().shape.token_types > 0) {
      tokens.types.push_back(batch.types[0][i].item<int32_t>());
    }
  }
  std::vector<float> logits(static_cast<size_t>(model.config().shape.labels));
  model.encoder().run({&tokens, 1}, model.plan(budget), logits, arena);
  return torch::tensor(logits);
}

TEST(RandomFamilies, AgreeInLibtorchAndTheEngineAtEveryBudget) {
  for (uint64_t seed = 0; seed < models; ++seed) {
    const RandomNetwork network(seed);
    const Isa best = usable_isas().back();
    // By the largest logit: a lane too many or too few moves them all.
    const std::vector<std::pair<EngineOptions, double>> engines = {
        {{Precision::fp32, Isa::portable}, 1e-4},
        {{Precision::fp32, best}, 1e-4},
        {{Precision::bf16, best}, 0.3},
        {{Precision::int8, best}, 0.5}};
    for (const auto& engine : engines) {
      const auto model = EngineModel::load(network.path(), engine.first);
      for (const double budget : {0.3, 1.0}) {
        const ModelWeights sliced = slice_model(network.weights, network.config.selection(budget));
        for (const Batch& batch : network.batches) {
          const torch::Tensor expected =
              forward(sliced, batch, options_of(network.config)).squeeze(0);
          const double scale = 1 + expected.abs().max().item<double>();
          EXPECT_LT(largest_difference(engine_logits(*model, batch, budget), expected) / scale,
                    engine.second)
              << "seed " << seed << ", " << batch.length() << " tokens, budget " << budget;
        }
      }
    }
  }
}

TEST(RandomFamilies, GiveTheSameSlicedMaskedAndAsAView) {
  for (uint64_t seed = 0; seed < models; ++seed) {
    const RandomNetwork network(seed);
    Random random{seed};
    const Selection selection = random_prefixes(network.config.shape, random);
    const Batch batch = random_batch(network.config.shape, {9, 30, 4}, random);
    ForwardOptions masked = options_of(network.config);
    masked.gates = mask_of(selection, torch::kCPU);
    masked.ffn_gates = ffn_mask_of(selection, network.config.shape.ffn, torch::kCPU);
    const torch::Tensor expected = forward(network.weights, batch, masked);
    const ForwardOptions plain = options_of(network.config);
    const ModelWeights sliced = slice_model(network.weights, selection);
    EXPECT_LT(largest_difference(forward(sliced, batch, plain), expected), 1e-4) << seed;
    const ModelWeights view = prefix_view(network.weights, selection);
    EXPECT_LT(largest_difference(forward(view, batch, plain), expected), 1e-4) << seed;
    const ModelWeights whole = expand_model(sliced, network.config.shape, selection);
    EXPECT_LT(largest_difference(forward(whole, batch, masked), expected), 1e-4) << seed;
  }
}

TEST(RandomFamilies, HaveAsManyNumbersAsTheCostSays) {
  for (uint64_t seed = 0; seed < models; ++seed) {
    Random random{seed};
    const ModelShape shape = random_family(seed, random);
    ModelWeights weights = random_weights(shape, seed);
    int64_t count = 0;
    for_each_tensor(weights,
                    [&](const std::string&, torch::Tensor& each) { count += each.numel(); });
    EXPECT_EQ(parameter_count(shape, all_heads(shape.layers, shape.heads)), count) << seed;
  }
}

TEST(RandomFamilies, ComputeTheSameWithUnitsInAnotherOrder) {
  for (uint64_t seed = 0; seed < models; ++seed) {
    const RandomNetwork network(seed);
    const ModelShape& shape = network.config.shape;
    UnitPermutation backwards;
    for (int64_t layer = 0; layer < shape.layers; ++layer) {
      const auto reversed = [](int64_t count) {
        std::vector<int64_t> numbers;
        for (int64_t i = count; i > 0; --i) numbers.push_back(i - 1);
        return numbers;
      };
      backwards.heads.push_back(reversed(shape.heads));
      backwards.neurons.push_back(reversed(shape.ffn));
    }
    ModelWeights moved = copy_weights(network.weights);
    reorder_units(moved, backwards);
    const ForwardOptions options = options_of(network.config);
    EXPECT_LT(largest_difference(forward(moved, network.batches[2], options),
                                 forward(network.weights, network.batches[2], options)),
              1e-4)
        << seed;
  }
}

TEST(RandomFamilies, AreExportedAtABudget) {
  for (uint64_t seed = 0; seed < models; ++seed) {
    const RandomNetwork network(seed);
    const auto model = EngineModel::load(network.path());
    const auto compact = network.folder.path() / "compact";
    export_hf_folder(network.path(), 0.5, HfForm::compact, compact);
    const auto whole = network.folder.path() / "whole";
    export_hf_folder(network.path(), 0.5, HfForm::dense_equivalent, whole);
    import_network(whole, network.folder.path() / "again");
    for (const auto& path : {compact, whole, network.folder.path() / "again"}) {
      const auto exported = EngineModel::load(path);
      for (const Batch& batch : network.batches) {
        EXPECT_LT(largest_difference(engine_logits(*exported, batch, 1.0),
                                     engine_logits(*model, batch, 0.5)),
                  1e-4)
            << "seed " << seed << ": " << path.filename();
      }
    }
  }
}

}  // namespace
}  // namespace headroom
