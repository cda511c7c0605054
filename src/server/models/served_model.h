// A model as the service holds it: loaded, with the latency table of one text on one thread.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/progress.h"
#include "budget/latency_table.h"
#include "checkpoint/config.h"
#include "engine/model.h"
#include "headroom/types.h"

namespace headroom::server {

// Runs batches, one at a time. The service makes one per worker; tests put their own in place.
// `ladder`: climb it, with the thresholds of this level of the policy, instead of the budget.
using RunBatch = std::function<std::vector<Answer>(std::span<const Tokens> inputs, double budget,
                                                   std::optional<size_t> ladder)>;

// Where a model's latency table comes from.
enum class TableSource {
  checkpoint,  // `headroom calibrate` stored it, and a short measurement agrees
  measured,    // at start, roughly: the checkpoint has none of this machine
  replaced,    // likewise: the one that the checkpoint has is wrong here
};

struct ServedModel {
  std::string name;
  uint64_t id = 0;  // of this load, never used again; 0: its answers are not cached
  ModelConfig config;
  LatencyTable table;  // of the precision that the model runs in
  TableSource table_source = TableSource::checkpoint;
  std::optional<Policy> policy;  // of --budget auto
  std::string packed_note;       // what became of the packed cache, where somebody should know
  std::string policy_note;       // why there is none, though there is a file
  bool rung_zero = false;        // has the bag of n-grams that answers at budget 0
  double bag_token_ms = 0;       // that it takes for a token of a text
  Json scores;                   // what eval --save left, at each budget; null when nobody measured
  std::shared_ptr<const EngineModel> engine;  // none where a test puts functions in its place
  Tokens warm_up = {};  // what each worker runs before its first batch; empty: nothing
  std::function<Tokens(const Text&)> tokenise;
  std::function<RunBatch(int threads)> make_runner;  // threads: of a text that runs alone
};

// Whether the model has "budget":"auto": a ladder, or the two rounds of a ranker.
bool has_auto(const ServedModel& model);

// What the engine needs to serve; the table and the scores are the caller's.
ServedModel served_model(std::string name, const std::shared_ptr<const EngineModel>& engine);

// Takes the table from the checkpoint's latency.json. Where it has none for this machine and
// precision, or one that a short measurement contradicts, it measures one in about two seconds;
// that one is not stored. Classifies a text at the least and the full budget: throws
// ErrorCode::bad_model when the answers are none, or the checkpoint is damaged, and
// ErrorCode::runtime when the weights are larger than `options` allow.
ServedModel load_served_model(std::string name, const std::filesystem::path& directory,
                              const EngineOptions& options, ProgressSink& progress);

// Throws ErrorCode::bad_model unless a known text gets an answer at the least and the full budget:
// finite, and where scores are of one label, adding up to 1.
void self_test(const ServedModel& model);

// Whether a table is within a factor of two of what texts take now: the shortest and the longest
// that it has, at its least and its largest budget.
bool table_holds(const LatencyTable& table,
                 const std::function<double(double budget, int64_t tokens)>& measured_ms);

}  // namespace headroom::server
