#include "train/evaluate/torch_bench.h"

#include <fmt/format.h>

#include <functional>

#include "base/interrupt.h"
#include "base/measure/interleaved.h"
#include "model/forward.h"
#include "model/slice.h"
#include "train/checkpoint_model.h"
#include "train/evaluate/cuda_graph.h"
#include "train/runtime.h"

namespace headroom {
inline namespace train {
namespace {

Batch random_batch(const ModelShape& shape, int64_t size, int64_t tokens, uint64_t seed,
                   torch::Device device) {
  Batch batch;
  batch.tokens = torch::tensor(random_ids(shape.vocabulary, size * tokens, seed), torch::kInt64)
                     .view({size, tokens})
                     .to(device);
  return batch;
}

struct Contestant {
  double budget;
  Selection selection;
  ModelWeights weights;
};

// What is timed: a forward pass, from its first kernel to the end of its last.
std::function<void()> timed_forward(const ModelWeights& weights, const Batch& batch,
                                    const BenchSettings& settings) {
  const std::function<void()> pass = [&] { forward(weights, batch); };
  if (settings.device == "cpu") return pass;
  return [start = settings.cuda_graphs ? recorded(pass) : pass] {
    start();
    torch::cuda::synchronize();
  };
}

std::vector<BenchCell> measure(const ModelShape& shape, const std::vector<Contestant>& contestants,
                               const std::string& precision, int64_t size, int64_t tokens,
                               const BenchSettings& settings) {
  const Batch batch =
      random_batch(shape, size, tokens, settings.seed, contestants[0].weights.device());
  std::vector<std::function<void()>> runs;
  for (const Contestant& contestant : contestants) {
    runs.push_back(timed_forward(contestant.weights, batch, settings));
  }
  const auto times = time_interleaved(runs, settings.warmup, settings.rounds, settings.seed);
  std::vector<BenchCell> cells;
  for (size_t i = 0; i < contestants.size(); ++i) {
    BenchCell cell;
    cell.engine = settings.cuda_graphs ? "torch with CUDA graphs" : "torch";
    cell.precision = precision;
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

ModelWeights in_precision(ModelWeights weights, const std::string& precision) {
  if (precision == "bf16") {
    for_each_tensor(weights, [](const std::string&, torch::Tensor& tensor) {
      tensor = tensor.to(torch::kBFloat16);
    });
  }
  return weights;
}

std::vector<BenchCell> bench_weights(const ModelShape& shape, const ModelWeights& weights,
                                     const std::function<Selection(double)>& select,
                                     const BenchSettings& settings, ProgressSink& progress) {
  use_threads(settings.threads);
  const torch::InferenceMode inference;
  std::vector<BenchCell> cells;
  ProgressUpdate update = bench_progress(settings);
  for (const std::string& precision : settings.precisions) {
    std::vector<Contestant> contestants;
    for (const double budget : benched_budgets(settings.budgets)) {
      Selection selection = select(budget);
      ModelWeights sliced = in_precision(slice_model(weights, selection), precision);
      contestants.push_back({budget, std::move(selection), std::move(sliced)});
    }
    for (const int64_t tokens : settings.tokens) {
      for (const int64_t size : settings.batches) {
        if (interrupt_requested()) throw Error(ErrorCode::interrupted, "bench", "stopped");
        for (BenchCell& cell : measure(shape, contestants, precision, size, tokens, settings))
          cells.push_back(cell);
        ++update.done;
        progress.update(update);
      }
    }
  }
  return cells;
}

}  // namespace

std::vector<BenchCell> bench_checkpoint(const std::filesystem::path& model,
                                        const BenchSettings& settings, ProgressSink& progress) {
  const CheckpointModel checkpoint = open_for_texts(model, open_device(settings.device));
  require_fixed_heads(checkpoint.config, "bench with libtorch");
  check_lengths(settings.tokens, checkpoint.config.shape);
  return bench_weights(
      checkpoint.config.shape, checkpoint.model.weights,
      [&](double b) { return checkpoint.config.selection(b); }, settings, progress);
}

std::vector<BenchCell> bench_shape(const ModelShape& shape,
                                   const std::function<Selection(double)>& select,
                                   const BenchSettings& settings, ProgressSink& progress) {
  return bench_weights(shape, fresh_weights(shape, settings.seed, open_device(settings.device)),
                       select, settings, progress);
}

}  // namespace train
}  // namespace headroom
