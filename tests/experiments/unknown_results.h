// A results folder of an experiment that this version has never heard of.
#pragma once

#include <filesystem>
#include <string>

#include "base/json.h"
#include "support.h"

namespace headroom::testing {

inline Json unknown_run(uint64_t seed, double accuracy) {
  const Json point = {{"budget", 1.0}, {"accuracy", accuracy}, {"macs_fraction", 1.0}};
  Json run = {{"seed", seed}, {"task", "a <b> task"}, {"date", "2026-01-02"}};
  run["arms"]["levitation"]["points"] = {point};
  run["arms"]["dense"]["points"] = {point};
  return run;
}

inline std::filesystem::path write_unknown_results(const TemporaryFolder& folder) {
  std::filesystem::path path = folder.path() / "other";
  std::filesystem::create_directories(path / "runs");
  const Json results = {
      {"experiment", "levitation"}, {"task", "a <b> task"}, {"command", "run <it>"}};
  folder.write("other/results.json", results.dump());
  folder.write("other/runs/seed-2.json", unknown_run(2, 0.9).dump());
  folder.write("other/runs/seed-1.json", unknown_run(1, 0.8).dump());
  return path;
}

}  // namespace headroom::testing
