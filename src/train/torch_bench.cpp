#include "train/torch_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/interrupt.h"
#include "base/random.h"
#include "budget/cost.h"
#include "model/forward.h"
#include "model/slice.h"
#include "train/checkpoint_model.h"
#include "train/runtime.h"

namespace headroom {
namespace {

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  const double place = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<size_t>(place);
  const size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

Batch random_batch(const ModelShape& shape, int64_t size, int64_t tokens, uint64_t seed) {
  Random random{seed, static_cast<uint64_t>(size), static_cast<uint64_t>(tokens)};
  Batch batch;
  batch.tokens = torch::empty({size, tokens}, torch::kInt64);
  auto* ids = batch.tokens.data_ptr<int64_t>();
  for (int64_t i = 0; i < size * tokens; ++i) {
    ids[i] = static_cast<int64_t>(random.below(static_cast<uint64_t>(shape.vocabulary)));
  }
  return batch;
}

double time_forward(const ModelWeights& weights, const Batch& batch) {
  const auto started = std::chrono::steady_clock::now();
  const torch::Tensor logits = forward(weights, batch);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started)
      .count();
}

struct Contestant {
  double budget;
  Selection selection;
  ModelWeights weights;
};

std::vector<BenchCell> measure(const ModelShape& shape, const std::vector<Contestant>& contestants,
                               int64_t size, int64_t tokens, const BenchSettings& settings) {
  const Batch batch = random_batch(shape, size, tokens, settings.seed);
  const size_t count = contestants.size();
  std::vector<std::vector<double>> times(count);
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  Random random{settings.seed};
  for (int round = -settings.warmup; round < settings.rounds; ++round) {
    random.shuffle(order);
    for (const size_t i : order) {
      const double ms = time_forward(contestants[i].weights, batch);
      if (round >= 0) times[i].push_back(ms);
    }
  }
  std::vector<BenchCell> cells;
  const std::vector<double>& dense = times.back();  // budget 1 comes last
  for (size_t i = 0; i < count; ++i) {
    std::vector<double> ratios;
    for (size_t round = 0; round < dense.size(); ++round)
      ratios.push_back(dense[round] / times[i][round]);
    BenchCell cell;
    cell.budget = contestants[i].budget;
    cell.batch = size;
    cell.tokens = tokens;
    cell.threads = settings.threads;
    cell.median_ms = quantile(times[i], 0.5);
    cell.p10_ms = quantile(times[i], 0.1);
    cell.p90_ms = quantile(times[i], 0.9);
    cell.speedup = quantile(ratios, 0.5);
    cell.cap = speedup_cap(shape, contestants[i].selection, tokens);
    cell.macs_fraction = 1.0 / cell.cap;
    cell.tokens_per_second = static_cast<double>(size * tokens) / cell.median_ms * 1e3;
    cells.push_back(cell);
  }
  return cells;
}

std::vector<BenchCell> bench_weights(const ModelShape& shape, const ModelWeights& weights,
                                     const std::function<Selection(double)>& select,
                                     const BenchSettings& settings, ProgressSink& progress) {
  use_threads(settings.threads);
  const torch::InferenceMode inference;
  std::vector<double> budgets = settings.budgets;
  budgets.push_back(1.0);
  std::sort(budgets.begin(), budgets.end());
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  std::vector<Contestant> contestants;
  for (const double budget : budgets) {
    Selection selection = select(budget);
    ModelWeights sliced = slice_model(weights, selection);
    contestants.push_back({budget, std::move(selection), std::move(sliced)});
  }
  std::vector<BenchCell> cells;
  ProgressUpdate update{
      "bench", 0,       static_cast<int64_t>(settings.batches.size() * settings.tokens.size()),
      0,       "cells", "",
      1,       ""};
  for (const int64_t tokens : settings.tokens) {
    for (const int64_t size : settings.batches) {
      if (interrupt_requested()) throw Error(ErrorCode::interrupted, "bench", "stopped");
      for (BenchCell& cell : measure(shape, contestants, size, tokens, settings))
        cells.push_back(cell);
      ++update.done;
      progress.update(update);
    }
  }
  return cells;
}

}  // namespace

Json to_json(const BenchCell& cell) {
  Json json;
  json["engine"] = "torch";
  json["budget"] = cell.budget;
  json["batch"] = cell.batch;
  json["tokens"] = cell.tokens;
  json["threads"] = cell.threads;
  json["precision"] = "fp32";
  json["median_ms"] = cell.median_ms;
  json["p10_ms"] = cell.p10_ms;
  json["p90_ms"] = cell.p90_ms;
  json["speedup"] = cell.speedup;
  json["macs_fraction"] = cell.macs_fraction;
  json["tokens_per_second"] = cell.tokens_per_second;
  json["speedup_cap"] = cell.cap;
  return json;
}

std::vector<BenchCell> bench_checkpoint(const std::filesystem::path& model,
                                        const BenchSettings& settings, ProgressSink& progress) {
  const CheckpointModel checkpoint = open_classifier(model, torch::kCPU);
  for (const int64_t tokens : settings.tokens) {
    if (tokens > checkpoint.config.shape.positions) {
      throw Error(ErrorCode::usage, "bench",
                  fmt::format("--tokens {} is more than this model reads ({})", tokens,
                              checkpoint.config.shape.positions));
    }
  }
  return bench_weights(
      checkpoint.config.shape, checkpoint.model.weights,
      [&](double b) { return checkpoint.config.selection(b); }, settings, progress);
}

std::vector<BenchCell> bench_shape(const ModelShape& shape,
                                   const std::function<Selection(double)>& select,
                                   const BenchSettings& settings, ProgressSink& progress) {
  return bench_weights(shape, fresh_weights(shape, settings.seed, torch::kCPU), select, settings,
                       progress);
}

}  // namespace headroom
