// headroom bench: latency at each budget, dense and sliced side by side, and beside a peer.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/precision.h"
#include "checkpoint/checkpoint.h"
#include "cli/app.h"
#include "cli/console.h"
#include "cli/engines/engine.h"
#include "cli/engines/peer_bench.h"
#include "cli/engines/text_bench.h"
#include "cli/options.h"
#include "cli/verb.h"

namespace headroom {
namespace {

std::string budget_name(const BenchCell& cell) {
  return cell.automatic ? fmt::format("auto ({:.3f})", cell.budget)
                        : fmt::format("{}", cell.budget);
}

Table bench_table(const std::vector<BenchCell>& cells) {
  Table table{{"precision", "tokens", "batch", "budget", "median ms", "p10", "p90", "speed-up",
               "cap", "tokens/s"},
              {}};
  for (const BenchCell& cell : cells) {
    table.rows.push_back({cell.precision, fmt::format("{}", cell.tokens),
                          fmt::format("{}", cell.batch), budget_name(cell),
                          fmt::format("{:.2f}", cell.median_ms), fmt::format("{:.2f}", cell.p10_ms),
                          fmt::format("{:.2f}", cell.p90_ms), fmt::format("{:.2f}x", cell.speedup),
                          fmt::format("{:.2f}x", cell.cap),
                          fmt::format("{:.0f}", cell.tokens_per_second)});
  }
  return table;
}

std::string ratio_text(const std::vector<PeerRatio>& ratios, const std::string& precision) {
  for (const PeerRatio& ratio : ratios) {
    if (ratio.precision != precision) continue;
    return fmt::format("{:.2f} ({:.2f}-{:.2f})", ratio.median, ratio.p10, ratio.p90);
  }
  return "";
}

Table compared_table(const std::vector<ComparedCell>& cells, const PeerSettings& peer) {
  Table table{{"engine", "precision", "tokens", "longest", "batch", "budget", "median ms", "p10",
               "p90", "speed-up"},
              {}};
  const std::vector<std::string> peers =
      peer.peer.empty() ? std::vector<std::string>{} : peer.precisions;
  for (const std::string& precision : peers) {
    table.header.push_back(fmt::format("time / peer's {}", precision));
  }
  for (const ComparedCell& compared : cells) {
    const BenchCell& cell = compared.cell;
    std::vector<std::string> row = {cell.engine,
                                    cell.precision,
                                    fmt::format("{}", cell.tokens),
                                    fmt::format("{}", compared.longest),
                                    fmt::format("{}", cell.batch),
                                    fmt::format("{}", cell.budget),
                                    fmt::format("{:.2f}", cell.median_ms),
                                    fmt::format("{:.2f}", cell.p10_ms),
                                    fmt::format("{:.2f}", cell.p90_ms),
                                    fmt::format("{:.2f}x", cell.speedup)};
    for (const std::string& precision : peers) {
      row.push_back(ratio_text(compared.ratios, precision));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// What `make peers` fills: build/peers beside build/bin.
std::string default_peer_directory() {
  return (std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "peers")
      .string();
}

void print_cells(const std::vector<BenchCell>& cells, const BenchSettings& settings, bool json) {
  if (json) {
    for (const BenchCell& cell : cells) print_json_line(to_json(cell));
    return;
  }
  print_table(bench_table(cells));
  fmt::print("\n{} engine, {} thread(s), {} rounds; cap: dense MACs over this budget's MACs\n",
             cells[0].engine, settings.threads, settings.rounds);
}

void bench_engine(const std::string& model, const ModelConfig& config,
                  const BenchSettings& settings, bool json) {
  std::vector<BenchCell> cells;
  {
    ConsoleProgress progress;
    cells = bench_model(model, config, settings, progress);
  }
  print_cells(cells, settings, json);
}

// Where the time depends on what texts say.
void bench_ladder(const std::string& model, const ModelConfig& config,
                  const BenchSettings& settings, const std::vector<Budget>& budgets,
                  const PeerSettings& peer, bool json) {
  if (peer.texts.empty()) {
    throw Error(ErrorCode::usage, "bench",
                "budgets auto and 0 need --texts FILE: how far a text climbs depends on what it "
                "says");
  }
  if (!peer.peer.empty()) {
    throw Error(ErrorCode::usage, "bench", "budgets auto and 0 are for bench without --peer");
  }
  std::vector<BenchCell> cells;
  {
    ConsoleProgress progress;
    cells = bench_texts(model, config, settings, budgets, peer.texts, progress);
  }
  print_cells(cells, settings, json);
}

void bench_compared(const std::string& model, const BenchSettings& settings,
                    const PeerSettings& peer, bool json) {
  std::vector<ComparedCell> cells;
  {
    ConsoleProgress progress;
    cells = bench_beside_peer(model, settings, peer, progress);
  }
  if (json) {
    for (const ComparedCell& cell : cells) print_json_line(to_json(cell));
    return;
  }
  print_table(compared_table(cells, peer));
  fmt::print("\n{} thread(s), {} rounds; time / peer's: median (p10-p90) of same-round ratios\n",
             settings.threads, settings.rounds);
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
  std::string engine;
  std::string precision = "fp32";
  PeerSettings peer;
  std::string peer_precision = "fp32";
  std::string peer_directory;
  app.add_option("--model", model, "checkpoint directory")->required();
  app.add_option(
      "--budgets", budgets,
      "comma-separated fractions in (0, 1]; with --texts also auto (see tune) and 0, rung "
      "zero alone");
  app.add_option("--batch", batches, "batch sizes");
  app.add_option("--tokens", tokens, "input lengths");
  add_engine(app, engine);
  app.add_option("--precision", precision, "fp32, bf16 or int8");
  app.add_option("--peer", peer.peer, "onnxruntime: the same model exported, in the same rounds");
  app.add_option("--peer-precision", peer_precision, "fp32, int8");
  app.add_option("--peer-dir", peer_directory,
                 "where `make peers` put it; without this, peers beside the program's folder");
  app.add_option("--texts", peer.texts,
                 "also a batch of the first 32 lines of this file, lengths as they are; where auto "
                 "or 0 is among --budgets its first 256 lines alone, tokenising included");
  app.add_option("--rounds", settings.rounds, "timed rounds")->check(CLI::Range(1, 100000));
  app.add_option("--warmup", settings.warmup, "untimed rounds before them")
      ->check(CLI::Range(0, 1000));
  add_threads(app, settings.threads, "CPU threads");
  add_device(app, settings.device);
  app.add_flag("--cuda-graphs", settings.cuda_graphs,
               "on a GPU: start the whole forward pass at once instead of kernel by kernel");
  add_seed(app, settings.seed);
  return run_app(app, argc, argv, [&](bool json) {
    if (!peer.peer.empty()) require_supported("--peer", peer.peer, {"onnxruntime"});
    const ModelConfig config = read_config(model);
    require_task(config.task, engine);
    const std::vector<Budget> spendings = asked_spendings(app, config, budgets);
    settings.budgets.clear();
    for (const Budget& each : spendings) settings.budgets.push_back(each.fraction);
    settings.precisions = split_list(precision);
    settings.batches = parse_counts("--batch", batches);
    settings.tokens = parse_counts("--tokens", tokens);
    settings.threads = settings.threads == 0 ? 1 : settings.threads;
    if (settings.precisions.empty()) {
      throw Error(ErrorCode::usage, "read options", "--precision names none");
    }
    for (const std::string& name : settings.precisions) precision_table.parse(name);
    if (std::any_of(spendings.begin(), spendings.end(), depends_on_texts)) {
      bench_ladder(model, config, settings, spendings, peer, json);
    } else if (peer.peer.empty() && peer.texts.empty()) {
      bench_engine(model, config, settings, json);
    } else {
      peer.directory = peer_directory.empty() ? default_peer_directory() : peer_directory;
      peer.precisions = split_list(peer_precision);
      for (const std::string& name : peer.precisions) {
        require_supported("--peer-precision", name, {"fp32", "int8"});
      }
      bench_compared(model, settings, peer, json);
    }
  });
}

}  // namespace headroom
