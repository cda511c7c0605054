// headroom bench: latency at each budget, dense and sliced side by side.
#include <fmt/format.h>

#include "budget/fraction.h"
#include "cli/app.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "train/torch_bench.h"

namespace headroom {
namespace {

Table bench_table(const std::vector<BenchCell>& cells) {
  Table table{
      {"tokens", "batch", "budget", "median ms", "p10", "p90", "speed-up", "cap", "tokens/s"}, {}};
  for (const BenchCell& cell : cells) {
    table.rows.push_back({fmt::format("{}", cell.tokens), fmt::format("{}", cell.batch),
                          fmt::format("{}", cell.budget), fmt::format("{:.2f}", cell.median_ms),
                          fmt::format("{:.2f}", cell.p10_ms), fmt::format("{:.2f}", cell.p90_ms),
                          fmt::format("{:.2f}x", cell.speedup), fmt::format("{:.2f}x", cell.cap),
                          fmt::format("{:.0f}", cell.tokens_per_second)});
  }
  return table;
}

}  // namespace

int run_bench(int argc, char** argv) {
  CLI::App app(
      "Latency at each budget: every budget runs in every round, in shuffled order; a speed-up "
      "is the median of same-round ratios to budget 1.",
      "headroom bench");
  BenchSettings settings;
  std::string model;
  std::string budgets = "0.25,0.5,0.75,1";
  std::string batches = "1,32";
  std::string tokens = "32,64";
  std::string precision = "fp32";
  std::string peer;
  app.add_option("--model", model, "checkpoint directory")->required();
  app.add_option("--budgets", budgets, "comma-separated fractions in (0, 1]");
  app.add_option("--batch", batches, "batch sizes");
  app.add_option("--tokens", tokens, "input lengths");
  app.add_option("--precision", precision, "fp32");
  app.add_option("--peer", peer, "not in this version");
  app.add_option("--rounds", settings.rounds, "timed rounds")->check(CLI::Range(1, 100000));
  app.add_option("--warmup", settings.warmup, "untimed rounds before them")
      ->check(CLI::Range(0, 1000));
  add_threads(app, settings.threads, "CPU threads");
  add_seed(app, settings.seed);
  return run_app(app, argc, argv, [&](bool json) {
    require_supported("--precision", precision, {"fp32"});
    if (!peer.empty()) require_supported("--peer", peer, {});
    settings.budgets = parse_budgets(budgets);
    settings.batches = parse_counts("--batch", batches);
    settings.tokens = parse_counts("--tokens", tokens);
    settings.threads = settings.threads == 0 ? 1 : settings.threads;
    std::vector<BenchCell> cells;
    {
      ConsoleProgress progress;
      cells = bench_checkpoint(model, settings, progress);
    }
    if (json) {
      for (const BenchCell& cell : cells) print_json_line(to_json(cell));
    } else {
      print_table(bench_table(cells));
      fmt::print("\n{} thread(s), {} rounds; cap: dense MACs over this budget's MACs\n",
                 settings.threads, settings.rounds);
    }
  });
}

}  // namespace headroom
