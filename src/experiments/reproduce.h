// An experiment with all its arms and seeds, from training to its page. No torch in this header.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "experiments/experiment.h"
#include "experiments/record/record.h"
#include "experiments/summary/page.h"

namespace headroom::experiments {

// One of the experiments that `reproduce` knows.
struct Kind {
  std::string_view name;  // "nested"
  // The experiment of a named task; `quick` shrinks it. Throws ErrorCode::usage for other tasks.
  Experiment (*describe)(const std::string& task, bool quick);
  Record (*run_seed)(const Experiment&, uint64_t seed, const std::filesystem::path& file,
                     ProgressSink&);
  // What is measured on this machine with the finished runs in `folder`; {} where nothing can be.
  Json (*time)(const Experiment&, const std::filesystem::path& folder, const Record& first,
               ProgressSink&);
  Page (*summarise)(const Runs& runs, const Json& timing);
};

// Throws ErrorCode::usage naming those there are.
const Kind& kind_named(const std::string& name);

// What to do with a folder of results, and how much of it.
struct ReproduceRequest {
  std::filesystem::path out;
  std::vector<uint64_t> seeds;
  bool summary_only = false;  // train nothing
  bool time_again = false;    // do not keep timing.json
};

// Trains and scores what `out` does not hold yet; writes a record per seed under out/runs.
Runs run_seeds(const Kind& kind, const Experiment& experiment, const ReproduceRequest& request,
               ProgressSink& progress);

// Times the runs and writes results.json, README.md and plots.
Page write_summary(const Kind& kind, const Experiment& experiment, const ReproduceRequest& request,
                   const Runs& runs, ProgressSink& progress);

}  // namespace headroom::experiments
