// After warm-up nothing is allocated, and switching budgets changes nothing about that. This file
// replaces the program's operator new by one that counts.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <vector>

#include "engine/random_model.h"
#include "engine/worker.h"

namespace {

std::atomic<int64_t> allocations{0};

void* counted(size_t size, size_t alignment) {
  ++allocations;
  const size_t whole = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, whole > 0 ? whole : alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

// Out of line: g++ takes free() inside operator delete for a mismatch where it sees both.
[[gnu::noinline]] void give_back(void* memory) {
  std::free(memory);
}

}  // namespace

void* operator new(size_t size) {
  return counted(size, alignof(std::max_align_t));
}
void* operator new[](size_t size) {
  return counted(size, alignof(std::max_align_t));
}
void* operator new(size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size > 0 ? size : 1);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return std::malloc(size > 0 ? size : 1);
}
void operator delete(void* memory) noexcept {
  give_back(memory);
}
void operator delete[](void* memory) noexcept {
  give_back(memory);
}
void operator delete(void* memory, size_t) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, size_t) noexcept {
  give_back(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  give_back(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  give_back(memory);
}
void operator delete[](void* memory, size_t, std::align_val_t) noexcept {
  give_back(memory);
}

namespace headroom {
namespace {

using testing::RandomCheckpoint;

TEST(Allocations, AreCounted) {
  const int64_t before = allocations;
  const std::vector<int> some(100);
  EXPECT_GT(allocations, before);
  EXPECT_EQ(some.size(), 100U);
}

void expect_none_after_warm_up(int64_t controller, Task task = Task::classify,
                               const OutputConfig& output = {}, const TextThreads& threads = {}) {
  ModelShape shape;
  if (task == Task::embed) shape.dense = 24;
  shape.controller = controller;
  shape.layers = 2;
  shape.width = 64;
  shape.heads = 4;
  shape.ffn = 128;
  shape.positions = 64;
  const RandomCheckpoint checkpoint(shape, 1, {}, task, output);
  Worker worker(EngineModel::load(checkpoint.path()));
  worker.use(threads);
  const std::vector<int32_t> longest(64, 7);
  const std::vector<int32_t> shorter(9, 8);
  const std::vector<Tokens> batch = {{longest, {}}, {shorter, {}}};
  size_t size = 0;
  for (const Tokens& each : batch) size += worker.model().encoder().outputs_of(each);
  std::vector<float> logits(size);
  const std::vector<Plan> plans = {worker.model().plan(0.25), worker.model().plan(0.5),
                                   worker.model().plan(1.0)};
  worker.outputs(batch, plans[2], logits);
  worker.outputs(batch, plans[2], logits);  // what the first call took in pieces becomes one
  const int64_t before = allocations;
  for (const Plan& plan : plans) {
    worker.outputs(batch, plan, logits);
    worker.outputs({&batch[1], 1}, plan, logits);
  }
  EXPECT_EQ(allocations, before);
}

TEST(Allocations, AreNoneAfterWarmUpAtAnyBudgetAndLength) {
  expect_none_after_warm_up(/*controller=*/0);
}

TEST(Allocations, AreNoneWhereEverySequenceChoosesItsHeads) {
  expect_none_after_warm_up(/*controller=*/16);
}

TEST(Allocations, AreNoneOfAnyOutput) {
  OutputConfig first;
  first.vector.pooling = Pooling::cls;
  for (const Task task : {Task::multilabel, Task::tag, Task::embed}) {
    expect_none_after_warm_up(/*controller=*/0, task);
  }
  expect_none_after_warm_up(/*controller=*/0, Task::embed, first);
}

TEST(Allocations, AreNoneOnSeveralThreads) {
  ThreadPool pool(3);
  const TextThreads threads = {&pool, 1, 0};
  expect_none_after_warm_up(/*controller=*/0, Task::classify, {}, threads);
  expect_none_after_warm_up(/*controller=*/16, Task::classify, {}, threads);
  expect_none_after_warm_up(/*controller=*/0, Task::tag, {}, threads);
}

}  // namespace
}  // namespace headroom
