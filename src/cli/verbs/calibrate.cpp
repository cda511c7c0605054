// headroom calibrate: how long this machine takes at each budget and length, kept in the
// checkpoint.
#include <fmt/format.h>

#include "base/precision.h"
#include "budget/fraction.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/latency_file.h"
#include "cli/app.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "engine/answers/calibration.h"
#include "engine/answers/choose_precision.h"

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

// Measured anew whenever it is asked for: the machine may have changed. An unwritable checkpoint is
// told before the long part begins.
PrecisionChoice choose_and_store(const std::string& model) {
  const ModelConfig config = read_config(model);
  PrecisionChoice choice;
  {
    ConsoleProgress progress;
    choice = choose_precision(model, config, progress);
  }
  store_precision_choice(model, config, choice);
  if (choice.precision == Precision::fp32) {
    fmt::print(stderr, "headroom: precision fp32: no other is faster here with the same answers\n");
  } else {
    fmt::print(stderr,
               "headroom: precision {}: {:.2f} times as fast as fp32 here; of {} answers {:.1f} % "
               "are the same, no score differs by more than {:.4f}\n",
               precision_table.name(choice.precision), choice.speedup, choice.inputs,
               100 * choice.agreement, choice.difference);
  }
  return choice;
}

}  // namespace

int run_calibrate(int argc, char** argv) {
  CLI::App app(
      "Measures how long this machine takes at each budget and length, and keeps the table in the "
      "checkpoint (latency.json), where predict --latency-ms looks it up. Before that it finds the "
      "fastest precision whose answers agree with fp32's and keeps that too (precision.json): it "
      "is what predict, eval, embed, rerank, tune and serve then run.",
      "headroom calibrate");
  std::string model;
  std::string precisions = "auto";
  std::string budgets = "0.125,0.25,0.375,0.5,0.625,0.75,0.875,1";
  std::string lengths;
  CalibrationSettings settings;
  app.add_option("--model", model, "checkpoint directory")->required();
  app.add_option("--precision", precisions, "auto, or fp32, bf16 and int8, comma-separated")
      ->type_name(choice_type({"auto", "fp32", "bf16", "int8"}));
  app.add_option("--budgets", budgets, "comma-separated fractions in (0, 1]");
  app.add_option("--tokens", lengths, "lengths to measure; without it up to the longest input");
  app.add_option("--rounds", settings.rounds, "timed rounds")->check(CLI::Range(5, 100000));
  add_threads(app, settings.threads, "CPU threads");
  return run_app(app, argc, argv, [&](bool json) {
    if (settings.threads == 0) settings.threads = 1;
    for (const std::string& name : split_list(precisions)) {
      std::optional<PrecisionChoice> choice;
      if (name == "auto") choice = choose_and_store(model);
      const Precision precision = choice ? choice->precision : precision_table.parse(name);
      const auto loaded = EngineModel::load(model, {precision, {}});
      settings.budgets = parse_budgets(budgets);
      if (!lengths.empty()) settings.lengths = parse_counts("--tokens", lengths);
      LatencyTable table;
      {
        ConsoleProgress progress;
        table = calibrate(loaded, settings, progress);
      }
      store_latency_table(model, table);
      if (json) {
        Json line = to_json(table);
        if (choice) line["choice"] = to_json(*choice);
        print_json_line(line);
      } else {
        print_latencies(table);
      }
    }
  });
}

}  // namespace headroom
