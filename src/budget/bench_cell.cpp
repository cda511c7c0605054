#include "budget/bench_cell.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/measure/interleaved.h"
#include "base/random.h"
#include "budget/cost.h"

namespace headroom {

Json to_json(const BenchCell& cell) {
  Json json;
  json["engine"] = cell.engine;
  json["budget"] = cell.automatic ? Json("auto") : Json(cell.budget);
  if (cell.automatic) json["mean_budget"] = cell.budget;
  json["batch"] = cell.batch;
  json["tokens"] = cell.tokens;
  json["threads"] = cell.threads;
  json["precision"] = cell.precision;
  json["median_ms"] = cell.median_ms;
  json["p10_ms"] = cell.p10_ms;
  json["p90_ms"] = cell.p90_ms;
  json["speedup"] = cell.speedup;
  json["macs_fraction"] = cell.macs_fraction;
  json["tokens_per_second"] = cell.tokens_per_second;
  json["speedup_cap"] = cell.cap;
  return json;
}

ProgressUpdate bench_progress(const BenchSettings& settings) {
  ProgressUpdate update;
  update.stage = "bench";
  update.unit = "cells";
  update.total = static_cast<int64_t>(settings.precisions.size() * settings.batches.size() *
                                      settings.tokens.size());
  return update;
}

std::vector<double> benched_budgets(std::vector<double> budgets) {
  budgets.push_back(1.0);
  std::sort(budgets.begin(), budgets.end());
  budgets.erase(std::unique(budgets.begin(), budgets.end()), budgets.end());
  return budgets;
}

void check_lengths(const std::vector<int64_t>& lengths, const ModelShape& shape) {
  for (const int64_t tokens : lengths) {
    if (tokens > shape.positions) {
      throw Error(
          ErrorCode::usage, "bench",
          fmt::format("--tokens {} is more than this model reads ({})", tokens, shape.positions));
    }
  }
}

std::vector<int32_t> random_ids(int64_t vocabulary, int64_t count, uint64_t seed) {
  Random random{seed, static_cast<uint64_t>(count)};
  std::vector<int32_t> ids(static_cast<size_t>(count));
  for (int32_t& id : ids) {
    id = static_cast<int32_t>(random.below(static_cast<uint64_t>(vocabulary)));
  }
  return ids;
}

void set_times(BenchCell& cell, const std::vector<double>& times,
               const std::vector<double>& dense) {
  cell.median_ms = quantile(times, 0.5);
  cell.p10_ms = quantile(times, 0.1);
  cell.p90_ms = quantile(times, 0.9);
  cell.speedup = median_ratio(dense, times);
  cell.tokens_per_second = static_cast<double>(cell.batch * cell.tokens) / cell.median_ms * 1e3;
}

void set_cost(BenchCell& cell, const ModelShape& shape, const Selection& selection) {
  cell.cap = speedup_cap(shape, selection, cell.tokens);
  cell.macs_fraction = 1.0 / cell.cap;
}

}  // namespace headroom
