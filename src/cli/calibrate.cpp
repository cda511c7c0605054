// headroom calibrate: how long this machine takes at each budget and length, kept in the
// checkpoint.
#include <fmt/format.h>

#include "base/interleaved.h"
#include "base/interrupt.h"
#include "base/machine.h"
#include "budget/fraction.h"
#include "checkpoint/latency_file.h"
#include "cli/app.h"
#include "cli/console.h"
#include "cli/native_model.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "engine/worker_pool.h"

namespace headroom {
namespace {

struct CalibrationSettings {
  std::vector<double> budgets;
  std::vector<int64_t> lengths;
  int rounds = 31;
  int warmup = 3;
};

// Short inputs are cheap to measure and their fixed costs matter; so lengths grow by half.
std::vector<int64_t> default_lengths(int64_t longest) {
  std::vector<int64_t> lengths;
  for (int64_t length = 8; length < longest; length += length < 16 ? 8 : length / 16 * 8) {
    lengths.push_back(length);
  }
  lengths.push_back(longest);
  return lengths;
}

// All budgets of one length in the same rounds, as one request at a time.
std::vector<LatencyCell> measure(const std::shared_ptr<const EngineModel>& model, WorkerPool& pool,
                                 int64_t tokens, const CalibrationSettings& settings) {
  constexpr uint64_t seed = 1;
  const std::vector<TokenInput> input = random_batch(model->config().shape, 1, tokens, seed);
  std::vector<std::function<void()>> runs;
  for (const double budget : settings.budgets) {
    runs.emplace_back([&, budget] { pool.classify(std::span(input), budget); });
  }
  const auto times = time_interleaved(runs, settings.warmup, settings.rounds, seed);
  std::vector<LatencyCell> cells;
  for (size_t i = 0; i < runs.size(); ++i) {
    cells.push_back(
        {settings.budgets[i], tokens, quantile(times[i], 0.5), quantile(times[i], 0.9)});
  }
  return cells;
}

LatencyTable calibrate(const std::shared_ptr<const EngineModel>& model,
                       const std::string& precision, int threads,
                       const CalibrationSettings& settings, ProgressSink& progress) {
  LatencyTable table{cpu_name(), precision, threads, today(), {}};
  WorkerPool pool(model, threads);
  ProgressUpdate update;
  update.stage = precision;
  update.unit = "lengths";
  update.total = static_cast<int64_t>(settings.lengths.size());
  for (const int64_t tokens : settings.lengths) {
    if (interrupt_requested()) throw Error(ErrorCode::interrupted, "calibrate", "stopped");
    for (const LatencyCell& cell : measure(model, pool, tokens, settings)) {
      table.cells.push_back(cell);
    }
    ++update.done;
    progress.update(update);
  }
  return table;
}

void print_latencies(const LatencyTable& table) {
  std::vector<std::string> header = {"tokens"};
  const std::vector<double> budgets = table.budgets();
  for (const double budget : budgets) header.push_back(fmt::format("{}", budget));
  Table text{header, {}};
  for (const int64_t tokens : table.lengths()) {
    std::vector<std::string> row = {fmt::format("{}", tokens)};
    for (const double budget : budgets) {
      const LatencyEstimate time = table.estimate(budget, tokens);
      row.push_back(fmt::format("{:.2f} ({:.2f})", time.median_ms, time.p90_ms));
    }
    text.rows.push_back(row);
  }
  fmt::print("{}, {}, {} thread(s): median ms (p90) of one input at each budget\n\n", table.machine,
             table.precision, table.threads);
  print_table(text);
  fmt::print("\n");
}

}  // namespace

int run_calibrate(int argc, char** argv) {
  CLI::App app(
      "Measures how long this machine takes at each budget and length, and keeps the table in the "
      "checkpoint (latency.json), where predict --latency-ms looks it up.",
      "headroom calibrate");
  std::string model;
  std::string precisions = "fp32";
  std::string budgets = "0.125,0.25,0.375,0.5,0.625,0.75,0.875,1";
  std::string lengths;
  int threads = 1;
  CalibrationSettings settings;
  app.add_option("--model", model, "checkpoint directory")->required();
  app.add_option("--precision", precisions, "fp32, bf16 or int8, comma-separated");
  app.add_option("--budgets", budgets, "comma-separated fractions in (0, 1]");
  app.add_option("--tokens", lengths, "lengths to measure; without it up to the longest input");
  app.add_option("--rounds", settings.rounds, "timed rounds")->check(CLI::Range(5, 100000));
  add_threads(app, threads, "CPU threads");
  return run_app(app, argc, argv, [&](bool json) {
    if (threads == 0) threads = 1;
    for (const std::string& precision : split_list(precisions)) {
      const auto loaded = load_native(model, precision);
      const ModelConfig& config = loaded->config();
      const bool elastic = config.gates || config.order;
      settings.budgets = elastic ? parse_budgets(budgets) : std::vector<double>{1.0};
      settings.lengths = lengths.empty() ? default_lengths(config.shape.positions)
                                         : parse_counts("--tokens", lengths);
      check_lengths(settings.lengths, config.shape);
      LatencyTable table;
      {
        ConsoleProgress progress;
        table = calibrate(loaded, precision, threads, settings, progress);
      }
      store_latency_table(model, table);
      if (json) {
        print_json_line(to_json(table));
      } else {
        print_latencies(table);
      }
    }
  });
}

}  // namespace headroom
