#include "cli/training/parallel.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "cli/console.h"
#include "cli/training/launch.h"

namespace headroom {

void add_parallel(CLI::App& app, ParallelOptions& options) {
  const char* group = "Several processes";
  app.add_option("--nproc", options.processes,
                 "processes on this machine that share every batch; a job that torchrun, mpirun "
                 "or srun started is found by itself")
      ->group(group)
      ->check(CLI::Range(1, 1024));
  app.add_option("--max-restarts", options.restarts,
                 "how often --nproc goes on with one process fewer when one is killed, from the "
                 "last saved state; SIGUSR1 adds one, SIGUSR2 takes one away")
      ->group(group)
      ->check(CLI::Range(0, 1'000'000));
  app.add_option("--accumulate", options.settings.accumulate,
                 "parts that a process computes its share of a batch in: less memory")
      ->group(group)
      ->check(CLI::Range(1, 65536));
  app.add_option("--rank-timeout", options.settings.timeout_seconds,
                 "seconds that processes wait for each other")
      ->group(group)
      ->check(CLI::Range(1.0, 1e6));
}

bool run_copies(ParallelOptions& options, int argc, char** argv) {
  options.settings.world = find_world();
  const int size = options.settings.world.size;
  if (options.processes == 1 || options.processes == size) return false;
  if (size > 1) {
    throw Error(ErrorCode::usage, "read options",
                fmt::format("--nproc {} in a job of {} processes: leave one of them to the other",
                            options.processes, size));
  }
  run_ranks(options.processes, {argv, argv + argc}, options.restarts);
  return true;
}

std::unique_ptr<ProgressSink> rank_progress(const ParallelOptions& options) {
  if (options.settings.world.rank > 0) return std::make_unique<SilentProgress>();
  return std::make_unique<ConsoleProgress>();
}

}  // namespace headroom
