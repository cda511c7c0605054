// A model as the service holds it: loaded, with the latency table of one text on one thread.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "budget/latency_table.h"
#include "engine/model.h"
#include "engine/worker.h"

namespace headroom {

// Runs batches for one thread. The service makes one per worker; tests put their own in place.
using RunBatch = std::function<std::vector<Answer>(std::span<const Tokens> inputs, double budget)>;

struct ServedModel {
  std::string name;
  std::filesystem::path directory;
  std::shared_ptr<const EngineModel> engine;
  LatencyTable table;
  bool calibrated_at_start = false;  // the checkpoint had no table of this machine
  std::function<RunBatch()> make_runner;
};

// Each a worker of the engine.
std::function<RunBatch()> engine_runners(std::shared_ptr<const EngineModel> engine);

// Takes the table from the checkpoint's latency.json or, where it has none for this machine and
// precision, measures one in about two seconds; that one is not stored. Throws
// ErrorCode::bad_model, or ErrorCode::runtime when the weights are larger than `options` allow.
ServedModel load_served_model(std::string name, const std::filesystem::path& directory,
                              const EngineOptions& options, ProgressSink& progress);

}  // namespace headroom
