// Training with several processes: the options, and starting the processes of one machine.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>

#include "base/progress.h"
#include "train/parallel/world.h"

namespace headroom {

struct ParallelOptions {
  int processes = 1;  // --nproc
  int restarts = 0;   // --max-restarts
  ParallelSettings settings;
};

void add_parallel(CLI::App& app, ParallelOptions& options);

// With --nproc N in a process that no launcher started: runs N copies of this command, waits for
// them and says true; throws what the first of them failed with. Otherwise fills in the rank of
// this process among others that run, if any, and says false.
bool run_copies(ParallelOptions& options, int argc, char** argv);

// A bar for the first process; the others keep silent.
std::unique_ptr<ProgressSink> rank_progress(const ParallelOptions& options);

}  // namespace headroom
