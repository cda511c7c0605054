// Whole models of each kind of attention, random weights, one text on one thread, all kinds in
// every round: what a cheaper attention saves of a model's time, and of the processor's energy
// where that can be read.
//   bench-attention [--rounds N] [--out docs/results/attention-kinds.json] [--commit HASH]
// The claims page reads --out: `headroom report --claims`.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/files/file.h"
#include "base/files/scratch_folder.h"
#include "base/json.h"
#include "base/measure/energy.h"
#include "base/measure/interleaved.h"
#include "base/measure/machine.h"
#include "base/table.h"
#include "bench_program.h"
#include "budget/cost.h"
#include "engine/session.h"
#include "engine_random.h"

namespace headroom {
namespace {

struct Options {
  int rounds = 51;
  std::string out = "docs/results/attention-kinds.json";
  std::string commit = "unknown";
};

struct Size {
  int64_t layers;
  int64_t width;
};
constexpr Size sizes[] = {{4, 256}, {6, 384}};
constexpr int64_t lengths[] = {32, 128, 512};
constexpr Precision precisions[] = {Precision::fp32, Precision::bf16, Precision::int8};
constexpr int64_t head_width = 32;
constexpr double energy_seconds = 2;  // of each kind: the counters move once a millisecond

ModelShape shape_of(const Size& size, AttentionKind kind) {
  ModelShape shape;
  shape.layers = size.layers;
  shape.width = size.width;
  shape.heads = size.width / head_width;
  shape.ffn = 4 * size.width;
  shape.vocabulary = 1000;
  shape.positions = 512;
  shape.labels = 4;
  shape.attention = kind;
  return shape;
}

// Of one run, in millijoules, with what else the processors do meanwhile.
double energy_of(const std::function<void()>& run, double median_ms, EnergyMeter& meter) {
  const int runs = std::max(1, static_cast<int>(1000 * energy_seconds / median_ms));
  meter.start();
  for (int i = 0; i < runs; ++i) run();
  return 1000 * meter.joules() / runs;
}

Json measure(const std::vector<std::shared_ptr<const EngineModel>>& models, int64_t tokens,
             int rounds, EnergyMeter& meter) {
  Random random{1};
  const Tokens text{random_ids(random, models[0]->config().shape, tokens)};
  std::deque<Session> sessions;
  std::vector<std::function<void()>> runs;
  for (const auto& model : models) {
    Session& session = sessions.emplace_back(model, 1);
    runs.emplace_back([&session, &text] { session.run(std::span(&text, 1), Budget{}); });
  }
  const auto times = time_interleaved(runs, 3, rounds, 1);
  const auto macs = [&](size_t i) {
    const ModelShape& shape = models[i]->config().shape;
    return cost_of(shape, all_heads(shape.layers, shape.heads), tokens).model_macs;
  };
  Json cells = Json::array();
  for (size_t i = 0; i < models.size(); ++i) {
    const ModelShape& shape = models[i]->config().shape;
    Json cell = {{"layers", shape.layers},
                 {"width", shape.width},
                 {"tokens", tokens},
                 {"precision", std::string(precision_table.name(models[i]->weights().precision))},
                 {"attention", attention_name(shape.attention)},
                 {"median_ms", quantile(times[i], 0.5)},
                 {"over_standard", median_ratio(times[i], times[0])},
                 {"macs_over_standard", macs(i) / macs(0)}};
    if (meter.readable()) cell["millijoules"] = energy_of(runs[i], quantile(times[i], 0.5), meter);
    cells.push_back(cell);
  }
  return cells;
}

void show(const Json& cells) {
  Table table{{"model", "tokens", "precision", "attention", "ms", "time", "MACs"}, {}};
  for (const Json& cell : cells) {
    table.rows.push_back(
        {fmt::format("{} x {}", cell["layers"].get<int64_t>(), cell["width"].get<int64_t>()),
         fmt::format("{}", cell["tokens"].get<int64_t>()), cell["precision"].get<std::string>(),
         cell["attention"].get<std::string>(),
         fmt::format("{:.3f}", cell["median_ms"].get<double>()),
         fmt::format("{:.3f}", cell["over_standard"].get<double>()),
         fmt::format("{:.3f}", cell["macs_over_standard"].get<double>())});
  }
  fmt::print("{}", markdown(table));
}

int main_of(int argc, char** argv) {
  Options options;
  CLI::App app("Times whole models of each kind of attention in our engine.", "bench-attention");
  app.add_option("--rounds", options.rounds, "in each of which every kind runs once")
      ->check(CLI::Range(1, 100000));
  app.add_option("--out", options.out, "JSON file to write");
  app.add_option("--commit", options.commit, "told in the results");
  CLI11_PARSE(app, argc, argv);
  const ScratchFolder folder;
  EnergyMeter meter;
  Json cells = Json::array();
  std::string isa;
  for (const Size& size : sizes) {
    for (const AttentionKind kind : all_attention_kinds) {
      write_random_checkpoint(folder.path() / std::string(attention_name(kind)),
                              shape_of(size, kind));
    }
    for (const Precision precision : precisions) {
      std::vector<std::shared_ptr<const EngineModel>> models;
      for (const AttentionKind kind : all_attention_kinds) {
        models.push_back(
            EngineModel::load(folder.path() / std::string(attention_name(kind)), {precision, {}}));
      }
      isa = isa_name(models[0]->kernels().isa);
      for (const int64_t tokens : lengths) {
        for (const Json& cell : measure(models, tokens, options.rounds, meter)) {
          cells.push_back(cell);
        }
      }
    }
  }
  show(cells);
  const char* energy = meter.readable()
                           ? "of whole processor packages, in millijoules a text"
                           : "not measured: this machine shows no counters in /sys/class/powercap";
  fmt::print("energy: {}\n", energy);
  write_file_atomically(options.out, Json{{"date", today()},
                                          {"commit", options.commit},
                                          {"machine", describe_machine()},
                                          {"isa", isa},
                                          {"threads", 1},
                                          {"rounds", options.rounds},
                                          {"energy", energy},
                                          {"cells", cells}}
                                             .dump(1) +
                                         "\n");
  return 0;
}

}  // namespace
}  // namespace headroom

int main(int argc, char** argv) {
  return headroom::run_program("bench-attention", [&] { return headroom::main_of(argc, argv); });
}
