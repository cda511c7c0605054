// One text on several threads has the bits it has on one.
#include "engine/encoder/text_threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <numeric>
#include <string>
#include <vector>

#include "checkpoint/hf/import.h"
#include "engine/agreement.h"
#include "engine/model.h"
#include "engine/session.h"
#include "hf_model.h"

namespace headroom {
namespace {
using namespace testing;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

// Around the borders of tiles, of blocks of rows and of attention's blocks, and of what is split by
// rows. Plain C++ takes minutes for all of them under sanitizers.
std::vector<int64_t> lengths_for(Isa isa) {
  if (sanitized && isa == Isa::portable) return {2, 17, 129};
  return {1, 2, 17, 33, 64, 100, 129, 200, 290};
}

ModelShape tiled_shape() {  // heads of full tiles
  ModelShape shape;
  shape.layers = 3;
  shape.width = 96;
  shape.heads = 3;
  shape.ffn = 80;
  shape.positions = 290;
  shape.labels = 3;
  return shape;
}

struct Outcome {
  std::vector<float> outputs;
  std::vector<int64_t> heads;

  bool operator==(const Outcome&) const = default;
};

Outcome run(const EngineModel& model, const Tokens& text, const Plan& plan,
            const TextThreads& threads) {
  Outcome outcome;
  outcome.outputs.resize(model.encoder().outputs_of(text));
  outcome.heads.resize(1);
  const Plan* plans[] = {&plan};
  Arena arena;
  model.encoder().run({&text, 1}, plans, outcome.outputs, arena, outcome.heads, threads);
  return outcome;
}

// Split however little there is to do, by rows where there are enough of them.
TextThreads all_of(ThreadPool& pool) {
  return {&pool, /*least_rows=*/1, /*least_macs=*/0};
}

// The same as if weights were large.
TextThreads by_panels(ThreadPool& pool) {
  return {&pool, /*least_rows=*/1, /*least_macs=*/0, /*most_bytes_a_row=*/0};
}

class TextThreadsOn : public ::testing::TestWithParam<Isa> {
 protected:
  TextThreadsOn() {
    for (const int threads : {2, 3, 4}) pools_.emplace_back(threads);
  }

  void expect_same_bits(const EngineModel& model, double budget) {
    expect_same_bits(model, budget, lengths_for(GetParam()));
  }
  void expect_same_bits(const EngineModel& model, double budget,
                        const std::vector<int64_t>& tested) {
    const Plan plan = model.plan(budget);
    Random random{11};
    for (const int64_t length : tested) {
      if (length > model.config().longest_input()) continue;
      const Tokens text{random_ids(random, length)};
      ThreadPool& pool = pools_[random.below(pools_.size())];
      const Outcome alone = run(model, text, plan, {});
      SCOPED_TRACE(::testing::Message() << length << " tokens, budget " << budget << ", "
                                        << pool.threads() << " threads");
      EXPECT_EQ(run(model, text, plan, all_of(pool)), alone);
      if (length / pool.threads() < 2 * row_unit) continue;  // that was by panels
      EXPECT_EQ(run(model, text, plan, by_panels(pool)), alone) << "by panels";
    }
  }

  void expect_same_bits(const std::filesystem::path& checkpoint,
                        const std::vector<double>& budgets) {
    for (const Precision precision : {Precision::fp32, Precision::bf16, Precision::int8}) {
      SCOPED_TRACE(precision_table.name(precision));
      const auto model = EngineModel::load(checkpoint, {precision, GetParam()});
      for (const double budget : budgets) expect_same_bits(*model, budget);
    }
  }

  std::deque<ThreadPool> pools_;
};

INSTANTIATE_TEST_SUITE_P(All, TextThreadsOn, ::testing::ValuesIn(usable_isas()),
                         [](const auto& tested) { return std::string(isa_name(tested.param)); });

TEST_P(TextThreadsOn, GiveTheBitsOfOneAtEveryBudget) {
  expect_same_bits(RandomCheckpoint(tiled_shape()).path(), {0.1, 0.4, 1});
}

TEST_P(TextThreadsOn, GiveTheBitsOfOneAtEveryLength) {
  const bool few = sanitized && GetParam() == Isa::portable;
  std::vector<int64_t> all(few ? 33 : 200);
  std::iota(all.begin(), all.end(), 1);
  const RandomCheckpoint checkpoint(tiled_shape());
  expect_same_bits(*EngineModel::load(checkpoint.path(), {Precision::bf16, GetParam()}), 1, all);
}

TEST_P(TextThreadsOn, GiveTheBitsOfOneInEveryFamily) {
  for (const ModelShape& shape : family_shapes(tiled_shape())) {
    SCOPED_TRACE(shape.family);
    expect_same_bits(RandomCheckpoint(shape).path(), {0.4, 1});
  }
  for (const char* name : {"roberta-cls", "modernbert-cls", "deberta-v2-cls"}) {
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    import_hf_folder(hf_model_folder(name), folder.path() / "model");
    expect_same_bits(folder.path() / "model", {1});
  }
}

TEST_P(TextThreadsOn, GiveTheBitsOfOneWithEveryAttentionAndWidth) {
  for (const AttentionKind kind : all_attention_kinds) {
    SCOPED_TRACE(attention_name(kind));
    ModelShape shape = tiled_shape();
    shape.attention = kind;
    shape.width = 33;  // heads of 11, an odd number of everything
    shape.ffn = 51;
    expect_same_bits(RandomCheckpoint(shape).path(), {0.7});
  }
}

TEST_P(TextThreadsOn, GiveTheBitsOfOneWhereEveryTextChoosesItsHeads) {
  ModelShape shape = tiled_shape();
  shape.controller = 16;
  expect_same_bits(RandomCheckpoint(shape).path(), {0.5, 1});
}

TEST_P(TextThreadsOn, GiveTheBitsOfOneToEveryOutput) {
  for (const Task task : {Task::tag, Task::embed, Task::multilabel}) {
    expect_same_bits(RandomCheckpoint(tiled_shape(), 1, {}, task).path(), {1});
  }
}

TEST(Shares, CoverAllOnce) {
  for (const int threads : {1, 2, 3, 4, 6}) {
    ThreadPool pool(threads);
    const std::vector<Workspace> works(static_cast<size_t>(threads));
    const Shares shares(works, {&pool});
    for (const int64_t size : {1, 2, 3, 17, 24, 33, 128, 300, 900}) {
      for (const int64_t unit : {panel_unit, row_unit}) {
        std::vector<std::atomic<int>> times(static_cast<size_t>(size));
        shares.by_range(size, unit, [&](const IndexRange& own, const Workspace&) {
          for (int64_t i = own.begin; i < own.end; ++i) ++times[static_cast<size_t>(i)];
        });
        for (const std::atomic<int>& each : times) {
          ASSERT_EQ(each, 1) << size << " in units of " << unit << " on " << threads << " threads";
        }
      }
    }
  }
}

TEST(Shares, TakeRowsThroughALayerWhereItsWeightsAreFew) {
  ThreadPool pool(2);
  const std::vector<Workspace> works(2);
  const Shares shares(works, {&pool});
  EXPECT_FALSE(shares.split_rows(63, 1e6)) << "31 rows each";
  EXPECT_TRUE(shares.split_rows(64, 1e6));
  EXPECT_TRUE(shares.split_rows(128, 3.5e6)) << "6 x 384 in bf16";
  EXPECT_FALSE(shares.split_rows(128, 7.1e6)) << "12 x 768 in int8";
  EXPECT_TRUE(shares.split_rows(256, 7.1e6));
  EXPECT_FALSE(Shares(std::span(works).first(1), {}).split_rows(512, 1e6));
  EXPECT_FALSE(Shares(works, {&pool, 1, 0, 0}).split_rows(512, 1)) << "as a test may want it";
}

TEST(TextThreads, LeaveShortTextsAndSmallModelsToOne) {
  const RandomCheckpoint checkpoint(tiled_shape());
  const auto model = EngineModel::load(checkpoint.path());
  const Plan plan = model->plan(1.0);
  const Plan half = model->plan(0.4);
  ThreadPool pool(4);
  const auto threads = [&](const TextThreads& rule, const Plan& at, int64_t tokens) {
    return rule.at(model->weights(), at, tokens);
  };
  EXPECT_EQ(threads({}, plan, 200), 1);
  EXPECT_EQ(threads({&pool}, plan, 128), 1) << "a layer is 52 K multiplications a token";
  EXPECT_EQ(threads({&pool, 32, 1e6}, plan, 63), 1);
  EXPECT_EQ(threads({&pool, 32, 1e6}, plan, 64), 2);
  EXPECT_EQ(threads({&pool, 32, 1e6}, plan, 200), 4);
  EXPECT_EQ(threads({&pool, 32, 4e6}, half, 200), 1);
  const auto rounded = EngineModel::load(checkpoint.path(), {Precision::bf16, {}});
  EXPECT_EQ((TextThreads{&pool, 32, 1e6}.at(rounded->weights(), rounded->plan(1.0), 200)), 2)
      << "a multiplication takes less time";
}

TEST(TextThreads, ASessionGivesOneTextAllOfThemAndTheSameAnswer) {
  ModelShape shape = tiled_shape();
  shape.width = 256;
  shape.heads = 8;
  shape.ffn = 1024;
  const RandomCheckpoint checkpoint(shape);
  const auto model = EngineModel::load(checkpoint.path());
  Random random{3};
  const Tokens text{random_ids(random, 200)};
  Session one(model);
  Session four(model, 4);
  const std::vector<double> expected = one.run(std::span(&text, 1), Budget{}).at(0).scores;
  EXPECT_EQ(four.run(std::span(&text, 1), Budget{}).at(0).scores, expected);
  Session alone(model, 4, {}, /*splits_calls=*/false);
  const std::vector<Tokens> two = {text, text};
  EXPECT_EQ(alone.run(std::span(&text, 1), Budget{}).at(0).scores, expected);
  EXPECT_EQ(alone.run(two, Budget{}).at(1).scores, expected);
  // Callers at the same time: one of them has the threads.
  ThreadPool callers(3);
  callers.for_each(3, [&](int) {
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(four.run(std::span(&text, 1), Budget{}).at(0).scores, expected);
    }
  });
}

}  // namespace
}  // namespace headroom
