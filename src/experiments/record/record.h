// What one seed of an experiment leaves behind, runs/seed-N.json, as types: experiments write it,
// summaries, claims and reports read it. The keys are listed once, in fields.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "budget/shape.h"
#include "experiments/record/choice.h"
#include "experiments/record/point.h"

namespace headroom::experiments {

struct GatesRecord {
  std::vector<double> offset;  // layers x heads
  std::vector<double> slope;   // one, or as many
};

struct MassPoint {
  double budget = 0;
  double mass = 0;  // the mean gate there
};

struct WarmStart {
  int64_t steps = 0;
  double validation = 0;
};

struct FastTextSettings {
  double rate = 0;
  int64_t epochs = 0;
  int64_t word_ngrams = 0;
};

// One arm: a way to train, with what it scored and what it learned.
struct ArmRecord {
  std::vector<Point> points;      // on test rows
  std::vector<Point> validation;  // on validation rows
  std::string commit;             // of the program that trained it; empty: before it was stored
  std::string note;               // what sets it apart from the others of its record
  std::optional<double> seconds;
  std::optional<int64_t> steps;
  std::optional<int64_t> steps_each;  // of each specialist
  std::optional<int64_t> best_step;
  std::optional<int64_t> heads;
  std::optional<int64_t> rows;  // trained on, where fewer than the others
  std::optional<int64_t> parameters;
  std::optional<int64_t> attention_parameters;
  std::optional<double> rate;          // that validated best
  std::optional<double> share;         // of heads, where it was fixed
  std::optional<double> share_weight;  // in the loss
  std::optional<WarmStart> warm_start;
  std::optional<GatesRecord> gates;
  std::optional<double> nestedness;
  std::vector<MassPoint> mass;
  std::vector<std::string> order;  // units, most important first (budget/unit_order.h)
  std::optional<FastTextSettings> settings;
  // Of heads chosen per input:
  std::vector<CurvePoint> curve;
  std::optional<ClassShares> by_class;
  std::optional<Difficulty> difficulty;
  std::optional<PeakMemory> memory;
  std::optional<Overrides> overrides;
  std::optional<AttentionMaps> maps;
};

struct NamedArm {
  std::string name;
  ArmRecord arm;
};

struct RowCounts {
  std::optional<int64_t> train;  // none: fresh rows in every step
  int64_t validation = 0;
  int64_t test = 0;
};

struct ShapeRecord {
  int64_t layers = 0;
  int64_t width = 0;
  int64_t heads = 0;
  int64_t ffn = 0;
  int64_t max_tokens = 0;
  int64_t vocabulary = 0;
  int64_t labels = 0;
  std::optional<int64_t> ffn_group;  // of nested budgets
};

struct MachineRecord {
  std::string cpu;
  std::optional<int64_t> cores;
  std::optional<double> memory_gib;
  std::string system;
  std::string device;
  std::string gpu;  // empty: trained on the CPU
  std::string torch;
  std::optional<int64_t> threads;
};

struct Record {
  std::string experiment;
  std::string task;
  uint64_t seed = 0;
  std::string date;
  std::string commit;  // of the program that began it; empty: before it was stored
  std::optional<MachineRecord> machine;
  std::string start;    // "pretrained NAME"; empty: fresh weights
  std::string options;  // what differs from the task's own, each after a blank
  std::optional<RowCounts> rows;
  std::optional<ShapeRecord> shape;
  Json recipe;  // every setting by name; a few of them before commits were stored
  std::optional<int64_t> steps;
  std::vector<std::string> labels;
  std::string default_arm;  // the experiment's own; empty: the one with its name
  std::vector<NamedArm> arms;

  const ArmRecord* find(std::string_view arm) const;
  ArmRecord& arm(const std::string& name);  // made where it is not there
};

using Runs = std::vector<Record>;  // one per seed

// In the recipe of records whose seeds each have a split of their own; they hold no digests of
// rows.
inline constexpr const char* split_key = "split";

Json to_json(const Record& record);
// Throws ErrorCode::bad_data naming `origin` and the key.
Record parse_record(const Json& json, const std::string& origin);
Record read_record(const std::filesystem::path& file);
CurvePoint parse_curve_point(const Json& json, const std::string& origin);
MachineRecord parse_machine(const Json& json);  // what train/runtime.h describes

// These throw ErrorCode::bad_data where the record does not hold what is asked for.
const RowCounts& rows_of(const Record& record);
const ShapeRecord& sizes_of(const Record& record);
const MachineRecord& machine_of(const Record& record);
ModelShape shape_of(const Record& record);

// Whether others can check out what made a record: not "unknown", nor with changes of its own.
bool names_a_commit(const std::string& commit);
// What to say before a program of that commit trains anything; empty where its records count.
std::string commit_warning(const std::string& commit);

// Throws ErrorCode::bad_data unless all are of one experiment and one recipe. Records from before
// recipes were stored whole go with each other and with nothing else.
void require_one_recipe(const Runs& runs);
// The same of `ours`, about to be trained, and what is stored beside it: says what to do then.
void require_extendable(const Record& stored, const Record& ours, const std::string& file);

}  // namespace headroom::experiments
