// Random shapes, selections and lengths through every instruction set and precision, against plain
// versions. HEADROOM_ROUNDS says how many; a failure names the round, which is its seed.
#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/agreement.h"
#include "engine/kernels/kernels.h"
#include "engine/random_product.h"
#include "engine/worker.h"

namespace headroom {
namespace {
using namespace testing;

uint64_t rounds() {
  const char* given = std::getenv("HEADROOM_ROUNDS");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 8;
}

int64_t between(Random& random, int64_t least, int64_t most) {
  return least + static_cast<int64_t>(random.below(static_cast<uint64_t>(most - least) + 1));
}

ModelShape random_shape(Random& random) {
  ModelShape shape;
  shape.layers = between(random, 1, 3);
  shape.heads = between(random, 1, 6);
  // A row of one element has no variance, and of few hardly any: norms make noise of them.
  shape.width = shape.heads * between(random, 16 / shape.heads + 1, 40);
  shape.ffn = between(random, 1, 150);
  shape.positions = between(random, 2, 80);
  shape.labels = between(random, 2, 20);
  shape.attention = static_cast<AttentionKind>(random.below(4));
  return shape;
}

// Any heads of any layer, and any number of neurons; none of them too.
Selection random_selection(Random& random, const ModelShape& shape) {
  Selection selection{shape.heads, {}, {}};
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    std::vector<int32_t>& heads = selection.kept.emplace_back();
    for (int32_t head = 0; head < shape.heads; ++head) {
      if (random.below(3) > 0) heads.push_back(head);
    }
    selection.ffn.push_back(random.below(4) == 0 ? shape.ffn : between(random, 0, shape.ffn));
  }
  return selection;
}

std::vector<Tokens> random_inputs(Random& random, const ModelShape& shape) {
  std::vector<Tokens> inputs;
  for (int64_t left = between(random, 1, 6); left > 0; --left) {
    const int64_t length = between(random, 1, shape.positions);
    inputs.push_back({random_ids(random, length), {}});
    if (random.below(3) == 0) inputs.back().types.assign(static_cast<size_t>(length), 1);
  }
  return inputs;
}

// Logits here are near 1. A lane too many or too few moves them by tenths, bfloat16 and int8, which
// keep 8 bits of every element, by hundredths.
double tolerance(Precision precision) {
  return precision == Precision::fp32 ? 2e-5 : 0.15;
}

TEST(RandomModels, AgreeWithTheReferenceOnEveryInstructionSetInEveryPrecision) {
  for (uint64_t round = 0; round < rounds(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Random random{round, 0x6d6f64656c};
    const RandomCheckpoint checkpoint(random_shape(random), round);
    const ModelShape& shape = checkpoint.config().shape;
    const Selection selection = random.below(2) == 0
                                    ? checkpoint.config().selection(0.01 + 0.99 * random.uniform())
                                    : random_selection(random, shape);
    const std::vector<Tokens> inputs = random_inputs(random, shape);
    for (const Isa isa : usable_isas()) {
      for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::int8}) {
        const auto model = EngineModel::load(checkpoint.path(), {precision, isa});
        ASSERT_LT(logit_error(*model, checkpoint, inputs, selection), tolerance(precision))
            << isa_name(isa) << " " << precision_table.name(precision);
      }
    }
  }
}

// The largest difference as a fraction of the largest element.
double distance(const std::vector<float>& actual, const std::vector<float>& expected) {
  double most = 1;
  double difference = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    most = std::max(most, std::abs(static_cast<double>(expected[i])));
    difference = std::max(difference, std::abs(static_cast<double>(actual[i]) - expected[i]));
  }
  return difference / most;
}

TEST(RandomProducts, AgreeWithTheReferenceOnEveryInstructionSet) {
  constexpr uint64_t products_a_round = 20;  // a product takes a twentieth of a model's time
  for (uint64_t round = 0; round < products_a_round * rounds(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    Random random{round, 0x70726f64756374};
    const int64_t rows = between(random, 1, 60);
    const int64_t panels = between(random, 1, 9);
    const int64_t lanes = between(random, 4, 200);
    Product floats(random, rows, panels, lanes);
    Product bf16(random, rows, panels, lanes);
    fill_with_bf16(bf16, random);
    Product bytes(random, rows, panels, lanes);
    fill_with_bytes(bytes, random);
    for (Product* product : {&floats, &bf16, &bytes}) {
      product->call.start = random.below(2) == 0 ? GemmStart::bias : GemmStart::accumulate;
      product->call.epilogue = random.below(2) == 0 ? GemmEpilogue::none : GemmEpilogue::gelu;
    }
    for (const Isa isa : usable_isas()) {
      SCOPED_TRACE(isa_name(isa));
      const Kernels& fast = kernels_for(isa);
      ASSERT_LT(distance(floats.result(fast.gemm_f32),
                         floats.result(kernels::reference_table().gemm_f32)),
                1e-5);
      // Their GELU is exact to 1.5e-4.
      const auto tolerance = [](const Product& product, double exact) {
        return product.call.epilogue == GemmEpilogue::gelu ? 2e-4 : exact;
      };
      ASSERT_LT(
          distance(bf16.result(fast.gemm_bf16), bf16.result(kernels::reference_table().gemm_bf16)),
          tolerance(bf16, 5e-5));
      ASSERT_LT(distance(bytes.result(fast.gemm_int8),
                         bytes.result(kernels::reference_table().gemm_int8)),
                tolerance(bytes, 1e-5));
    }
  }
}

}  // namespace
}  // namespace headroom
