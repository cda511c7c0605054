// Attacks a server that it starts, by the rows of the table in SECURITY.md, and prints what it
// found:
//   bench-attack --server build/bin/headroom --model DIR [--row N ...]
// scripts/attack runs it. Exit code 1 when an attack succeeded.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>

#include "attack/rows.h"
#include "base/error.h"
#include "bench_program.h"

namespace headroom::attack {
namespace {

struct Part {
  std::vector<int> rows;
  void (*run)(const Setting& setting, const Report& report);
};

const std::vector<Part> parts = {{{1}, attack_parser},  {{1, 3, 4, 6}, attack_beside_load},
                                 {{5, 11}, attack_log}, {{7}, attack_options},
                                 {{8}, attack_memory},  {{9}, attack_latency},
                                 {{11}, attack_http},   {{12}, attack_protocol}};

void print_finding(const Finding& finding) {
  const std::string row = finding.row == 0 ? "" : std::to_string(finding.row);
  fmt::print("| {:>2} | {:<52} | {:<31} | {:<44} | {} |\n", row, finding.attack, finding.expected,
             finding.found, finding.held ? "held" : "BROKEN");
  std::fflush(stdout);
}

int run(int argc, char** argv) {
  CLI::App app("Attacks a headroom server that it starts.");
  Setting setting;
  std::vector<int> rows;
  app.add_option("--server", setting.program)->required();
  app.add_option("--model", setting.model, "with a latency table of this machine")->required();
  app.add_option("--manifests", setting.manifests)->required();
  app.add_option("--folder", setting.folder, "empty, for files of the attacks")->required();
  app.add_option("--seconds", setting.seconds, "of an attack beside honest requests");
  app.add_option("--row", rows, "only these");
  CLI11_PARSE(app, argc, argv);
  std::signal(SIGPIPE, SIG_IGN);
  fmt::print("| {:>2} | {:<52} | {:<31} | {:<44} | verdict |\n|---|---|---|---|---|\n", "#",
             "attack", "expected", "found");
  int broken = 0;
  for (const Part& part : parts) {
    const bool wanted = rows.empty() || std::any_of(rows.begin(), rows.end(), [&](int row) {
                          return std::count(part.rows.begin(), part.rows.end(), row) > 0;
                        });
    if (!wanted) continue;
    part.run(setting, [&](const Finding& finding) {
      print_finding(finding);
      broken += finding.held ? 0 : 1;
    });
  }
  fmt::print(stderr, "bench-attack: {} attacks succeeded\n", broken);
  return broken == 0 ? 0 : 1;
}

}  // namespace
}  // namespace headroom::attack

int main(int argc, char** argv) {
  return headroom::run_program("bench-attack", [&] { return headroom::attack::run(argc, argv); });
}
