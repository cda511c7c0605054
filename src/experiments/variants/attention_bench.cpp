#include "experiments/variants/attention_bench.h"

#include <functional>

#include "base/interrupt.h"
#include "base/measure/interleaved.h"
#include "budget/cost.h"
#include "model/attention.h"
#include "train/runtime.h"

namespace headroom::experiments::variants {
namespace {

constexpr int64_t head_width = 32;

ModelShape layer_shape(AttentionKind kind, int64_t width, int64_t tokens) {
  ModelShape shape;
  shape.layers = 1;
  shape.width = width;
  shape.heads = width / head_width;
  shape.ffn = 1;
  shape.vocabulary = 1;
  shape.positions = tokens;
  shape.attention = kind;
  return shape;
}

Json measure_cell(int64_t width, int64_t tokens, const AttentionBench& bench) {
  torch::manual_seed(1);
  const torch::Tensor x = torch::randn({1, tokens, width});
  std::vector<ModelWeights> models;
  for (const AttentionKind kind : all_attention_kinds) {
    models.push_back(fresh_weights(layer_shape(kind, width, tokens), 1, torch::kCPU));
  }
  std::vector<std::function<void()>> runs;
  for (const ModelWeights& model : models) {
    runs.emplace_back([&] { attention(model.layers[0].attention, x, {}, {}, 0.0); });
  }
  const auto times = time_interleaved(runs, bench.warmup, bench.rounds, 1);
  Json cells = Json::array();
  for (size_t i = 0; i < models.size(); ++i) {
    const auto macs = [&](AttentionKind kind) {
      const ModelShape shape = layer_shape(kind, width, tokens);
      return cost_of(shape, all_heads(1, shape.heads), tokens).attention_macs;
    };
    cells.push_back(
        {{"width", width},
         {"tokens", tokens},
         {"attention", attention_name(all_attention_kinds[i])},
         {"median_ms", quantile(times[i], 0.5)},
         {"over_standard", median_ratio(times[i], times[0])},
         {"macs_over_standard", macs(all_attention_kinds[i]) / macs(AttentionKind::standard)}});
  }
  return cells;
}

}  // namespace

Json bench_attention(const AttentionBench& bench, ProgressSink& progress) {
  use_threads(1);
  const torch::InferenceMode inference;
  Json cells = Json::array();
  ProgressUpdate update;
  update.stage = "time attention";
  update.unit = "sizes";
  update.total = static_cast<int64_t>(bench.widths.size() * bench.tokens_per_width.size());
  for (const int64_t width : bench.widths) {
    for (const double ratio : bench.tokens_per_width) {
      if (interrupt_requested()) throw Error(ErrorCode::interrupted, "reproduce", "stopped");
      const auto tokens = static_cast<int64_t>(ratio * static_cast<double>(width));
      for (const Json& cell : measure_cell(width, tokens, bench)) cells.push_back(cell);
      ++update.done;
      progress.update(update);
    }
  }
  return cells;
}

}  // namespace headroom::experiments::variants
