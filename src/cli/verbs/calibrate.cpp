// headroom calibrate: how long this machine takes at each budget and length, kept in the
// checkpoint.
#include <fmt/format.h>

#include "budget/fraction.h"
#include "checkpoint/latency_file.h"
#include "cli/app.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "engine/answers/calibration.h"

namespace headroom {
namespace {

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
  CalibrationSettings settings;
  app.add_option("--model", model, "checkpoint directory")->required();
  app.add_option("--precision", precisions, "fp32, bf16 or int8, comma-separated");
  app.add_option("--budgets", budgets, "comma-separated fractions in (0, 1]");
  app.add_option("--tokens", lengths, "lengths to measure; without it up to the longest input");
  app.add_option("--rounds", settings.rounds, "timed rounds")->check(CLI::Range(5, 100000));
  add_threads(app, settings.threads, "CPU threads");
  return run_app(app, argc, argv, [&](bool json) {
    if (settings.threads == 0) settings.threads = 1;
    for (const std::string& precision : split_list(precisions)) {
      const auto loaded = EngineModel::load(model, {precision_table.parse(precision), {}});
      settings.budgets = parse_budgets(budgets);
      if (!lengths.empty()) settings.lengths = parse_counts("--tokens", lengths);
      LatencyTable table;
      {
        ConsoleProgress progress;
        table = calibrate(loaded, settings, progress);
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
