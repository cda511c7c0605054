// Several ranks train what one does. The ranks are threads here, each with its own model and its
// own connection; tests/cli/parallel_training_test.cpp starts real processes.
#include "train/parallel/ranks.h"

#include <gtest/gtest.h>

#include <functional>
#include <future>
#include <thread>

#include "support.h"
#include "train/loop/plan.h"
#include "train/loop/trainer.h"
#include "train/parallel/gradient_exchange.h"
#include "train/parallel/lifelines.h"
#include "train/parallel/reserved_port.h"
#include "train/tiny.h"

namespace headroom {
namespace {
using testing::expect_error;
using testing::tiny_model;

constexpr double timeout = 60;  // seconds

// Calls `body` as every rank of a job of `size`.
void as_ranks(int size, const std::function<void(Ranks&)>& body) {
  const ReservedPort port;
  World world;
  world.size = world.local_size = size;
  world.port = port.number();
  std::vector<std::thread> threads;
  for (world.rank = 0; world.rank < size; ++world.rank) {
    threads.emplace_back([world, &body] {
      Ranks ranks(world, torch::kCPU, timeout);
      body(ranks);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Ranks, AloneNothingChanges) {
  Ranks alone;
  const torch::Tensor tensor = torch::ones({3});
  alone.start_sum(tensor);
  alone.finish_sums();
  EXPECT_TRUE(torch::equal(tensor, torch::ones({3})));
  EXPECT_EQ(alone.text_from_first("text"), "text");
  EXPECT_EQ(alone.sum(2), 2);
}

TEST(Ranks, AddAndCopy) {
  as_ranks(3, [](Ranks& ranks) {
    const torch::Tensor one = torch::full({5}, ranks.rank() + 1.0F);
    const torch::Tensor other = torch::full({2}, 10.0F);
    ranks.start_sum(one);
    ranks.start_sum(other);
    ranks.finish_sums();
    EXPECT_TRUE(torch::equal(one, torch::full({5}, 6.0F)));
    EXPECT_TRUE(torch::equal(other, torch::full({2}, 30.0F)));
    EXPECT_EQ(ranks.text_from_first(ranks.first() ? "from the first" : "mine"), "from the first");
    EXPECT_EQ(ranks.text_from_first(""), "");
    EXPECT_EQ(ranks.from_first(ranks.rank() + 7.0), 7.0);
    EXPECT_EQ(ranks.sum(ranks.rank()), 3.0);
  });
}

TEST(Ranks, OneThatIsGoneIsToldToTheOthers) {
  as_ranks(2, [](Ranks& ranks) {
    if (ranks.rank() == 1) return;
    expect_error(ErrorCode::runtime, "rank 0 of 2 lost the others", [&] { ranks.sum(1); });
  });
}

TEST(Lifelines, AreBrokenOnceTheOtherEndIsGone) {
  std::promise<std::string> port;
  std::promise<void> seen;
  std::thread other([&, asked = port.get_future()]() mutable {
    const Lifelines line({.rank = 1, .size = 2}, timeout, {}, [&] { return asked.get(); });
    seen.get_future().wait();
  });
  const Lifelines lines({.rank = 0, .size = 2}, timeout,
                        [&](const std::string& told) { port.set_value(told); }, {});
  EXPECT_FALSE(lines.broken());
  seen.set_value();
  other.join();
  EXPECT_TRUE(lines.broken());
}

// The dense, soft and hard stages for 8 steps each, or the nested ones for 12.
ElasticModel trained(Method method, int64_t accumulate, Ranks* ranks) {
  const std::vector<Batch> validation = testing::tiny_validation();
  const auto source = testing::tiny_source(/*batch_size=*/8);
  Recipe recipe;
  recipe.dense_epochs = recipe.soft_epochs = recipe.hard_epochs = 1;
  recipe.nested_epochs = 1.5;
  recipe.nested.group_width = 8;
  ElasticModel model = tiny_model();
  model.dropout = 0;  // drawn per rank
  if (method == Method::nested) model.gates.reset();
  std::vector<StagePlan> plans = plan_method(method, recipe, *source, validation);
  TrainerSettings settings;
  settings.accumulate = accumulate;
  if (ranks != nullptr) settings.ranks = std::shared_ptr<Ranks>(ranks, [](Ranks*) {});
  SilentProgress silent;
  run_stages(model, plans, *source, settings, silent);
  return model;
}

// A bias of keys changes no answer (softmax takes it away again), so its gradient is nothing but
// rounding, which AdamW enlarges to whole steps: it differs by design.
void expect_close(ElasticModel a, const ElasticModel& b) {
  const auto right = testing::tensors_of(b);
  size_t i = 0;
  for_each_tensor(a.weights, [&](const std::string& name, torch::Tensor& tensor) {
    const double difference = testing::largest_difference(tensor.detach(), right[i++]);
    if (name.find("key.bias") == std::string::npos) {
      EXPECT_LT(difference, 1e-5) << name;
    }
  });
}

TEST(Ranks, TwoAndFourTrainWhatOneDoes) {
  for (const Method method : {Method::budgeted, Method::nested}) {
    const ElasticModel alone = trained(method, 1, nullptr);
    for (const int size : {2, 4}) {
      as_ranks(size, [&](Ranks& ranks) { expect_close(trained(method, 1, &ranks), alone); });
    }
  }
}

TEST(Ranks, PartsOfABatchAddUpToIt) {
  const ElasticModel whole = trained(Method::budgeted, 1, nullptr);
  expect_close(trained(Method::budgeted, 4, nullptr), whole);
  as_ranks(2, [&](Ranks& ranks) { expect_close(trained(Method::budgeted, 3, &ranks), whole); });
}

TEST(Ranks, ThatTrainSomethingElseAreRefused) {
  as_ranks(2, [](Ranks& ranks) {
    const auto source = testing::tiny_source();
    ElasticModel model = tiny_model();
    std::vector<StagePlan> none;
    TrainerSettings settings;
    settings.ranks = std::shared_ptr<Ranks>(&ranks, [](Ranks*) {});
    settings.fingerprint = {{"batch", 8}, {"seed", ranks.first() ? 1 : 2}};
    SilentProgress silent;
    const auto run = [&] { run_stages(model, none, *source, settings, silent); };
    if (ranks.first()) {
      run();
    } else {
      expect_error(ErrorCode::usage,
                   "rank 1 would train something else than rank 0 (seed: 1 there, 2 here)", run);
    }
  });
}

TEST(Ranks, MorePiecesThanRowsAreRefused) {
  expect_error(ErrorCode::usage, "a batch of 8 rows cannot be cut into 9 pieces",
               [] { trained(Method::budgeted, 9, nullptr); });
}

TEST(GradientExchange, SumsBeginDuringTheBackwardPass) {
  as_ranks(2, [](Ranks& ranks) {
    ElasticModel model = tiny_model();
    Parameters parameters(model, {});
    GradientExchange exchange(parameters, ranks, /*bucket_bytes=*/1024);
    EXPECT_GT(exchange.buckets(), 8U);
    parameters.zero_gradients();
    exchange.expect_last_backward();
    forward(model.weights, testing::tiny_source()->batch(0), model.training()).sum().backward();
    exchange.finish();
    EXPECT_GT(exchange.overlapped(), exchange.buckets() / 2);
    EXPECT_LT(exchange.overlapped(), exchange.buckets()) << "gates had no part in this loss";
    // A bias of the last layer: every row of both ranks adds 1.
    const torch::Tensor both = torch::full({testing::tiny_task.values}, 2.0F * 8);
    EXPECT_TRUE(torch::equal(model.weights.classifier.bias.grad(), both));
  });
}

}  // namespace
}  // namespace headroom
