#include "train/torch_bench.h"

#include <fmt/format.h>

#include <functional>

#include "base/interleaved.h"
#include "base/interrupt.h"
#include "model/forward.h"
#include "model/slice.h"
#include "train/checkpoint_model.h"
#include "train/runtime.h"

namespace headroom {
namespace {

Batch random_batch(const ModelShape& shape, int64_t size, int64_t tokens, uint64_t seed) {
  Batch batch;
  batch.tokens = torch::tensor(random_ids(shape.vocabulary, size * tokens, seed), torch::kInt64)
                     .view({size, tokens});
  return batch;
}

struct Contestant {
  double budget;
  Selection selection;
  ModelWeights weights;
};

std::vector<BenchCell> measure(const ModelShape& shape, const std::vector<Contestant>& contestants,
                               int64_t size, int64_t tokens, const BenchSettings& settings) {
  const Batch batch = random_batch(shape, size, tokens, settings.seed);
  std::vector<std::function<void()>> runs;
  for (const Contestant& contestant : contestants) {
    runs.emplace_back([&] { forward(contestant.weights, batch); });
  }
  const auto times = time_interleaved(runs, settings.warmup, settings.rounds, settings.seed);
  std::vector<BenchCell> cells;
  for (size_t i = 0; i < contestants.size(); ++i) {
    BenchCell cell;
    cell.engine = "torch";
    cell.budget = contestants[i].budget;
    cell.batch = size;
    cell.tokens = tokens;
    cell.threads = settings.threads;
    set_cost(cell, shape, contestants[i].selection);
    set_times(cell, times[i], times.back());  // budget 1 comes last
    cells.push_back(cell);
  }
  return cells;
}

std::vector<BenchCell> bench_weights(const ModelShape& shape, const ModelWeights& weights,
                                     const std::function<Selection(double)>& select,
                                     const BenchSettings& settings, ProgressSink& progress) {
  use_threads(settings.threads);
  const torch::InferenceMode inference;
  std::vector<Contestant> contestants;
  for (const double budget : benched_budgets(settings.budgets)) {
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

std::vector<BenchCell> bench_checkpoint(const std::filesystem::path& model,
                                        const BenchSettings& settings, ProgressSink& progress) {
  const CheckpointModel checkpoint = open_classifier(model, torch::kCPU);
  require_fixed_heads(checkpoint.config, "bench with libtorch");
  check_lengths(settings.tokens, checkpoint.config.shape);
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
