#include "budget/ladder/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace headroom {
namespace {

constexpr int64_t version = 1;
constexpr int64_t version_with_blends = 2;  // which readers of version 1 would leave out
constexpr size_t most_rungs = 4;
constexpr size_t most_levels = 64;
constexpr size_t most_temperatures = 64;
constexpr double most_weight = 100;
constexpr double never = 2;  // a threshold that no confidence reaches
constexpr int64_t most_rows = int64_t{1} << 40;

std::string hexadecimal(uint64_t value) {
  return fmt::format("{:016x}", value);
}

uint64_t checksum_field(const JsonFields& fields, std::string_view key) {
  const std::string text = fields.text(key);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size() || text.size() != 16) {
    fields.fail(key, "is not a checksum of 16 hexadecimal digits");
  }
  return value;
}

// Numbers from `least` to `most`, exactly `count` of them.
std::vector<double> number_list(const JsonFields& fields, std::string_view key, size_t count,
                                double least, double most) {
  std::vector<double> numbers;
  for (const Json& entry : fields.array(key)) {
    if (!entry.is_number() || !(entry.get<double>() >= least && entry.get<double>() <= most)) {
      fields.fail(key,
                  fmt::format("has {}, expected numbers from {} to {}", shown(entry), least, most));
    }
    numbers.push_back(entry.get<double>());
  }
  if (numbers.size() != count) {
    fields.fail(key, fmt::format("has {} numbers, expected {}", numbers.size(), count));
  }
  return numbers;
}

// What both lists of budgets have to be.
template <typename Entry>
void require_ascending(const JsonFields& fields, std::string_view key,
                       const std::vector<Entry>& entries, size_t most) {
  if (entries.empty() || entries.size() > most) {
    fields.fail(key, fmt::format("has {} entries, expected 1 to {}", entries.size(), most));
  }
  for (size_t i = 1; i < entries.size(); ++i) {
    if (!(entries[i].budget > entries[i - 1].budget)) fields.fail(key, "does not ascend");
  }
  if (entries.back().budget != 1) fields.fail(key, "does not end with budget 1");
}

Json level_json(const LadderLevel& level) {
  Json json = {{"thresholds", level.thresholds},
               {"reached", level.reached},
               {"agreement", level.agreement},
               {"mean_budget", level.mean_budget}};
  if (level.accuracy) json["accuracy"] = *level.accuracy;
  return json;
}

LadderLevel level_from_json(const Json& json, size_t rungs) {
  const JsonFields fields(json, ErrorCode::bad_model, "policy.json: levels");
  LadderLevel level;
  level.thresholds = number_list(fields, "thresholds", rungs - 1, 0, never);
  level.reached = number_list(fields, "reached", rungs, 0, 1);
  level.agreement = fields.number("agreement", 0, 1);
  level.mean_budget = fields.number("mean_budget", 0, most_rungs);
  if (fields.has("accuracy")) level.accuracy = fields.number("accuracy", 0, 1);
  return level;
}

// Of the budgets that run the model.
std::span<const ScoreCalibration> of_model(const std::vector<ScoreCalibration>& temperatures) {
  return std::span(temperatures).subspan(temperatures.front().budget == 0 ? 1 : 0);
}

}  // namespace

double Policy::temperature_of(double budget) const {
  const ScoreCalibration& first = temperatures.front();
  if (budget == 0 && first.budget == 0) return first.temperature;
  return calibration_at(of_model(temperatures), budget).temperature;
}

double Policy::rung_zero_weight(double budget) const {
  return budget == 0 ? 0 : calibration_at(of_model(temperatures), budget).lexical;
}

bool Policy::blends() const {
  return std::any_of(temperatures.begin(), temperatures.end(),
                     [](const ScoreCalibration& each) { return each.lexical != 0; });
}

bool Policy::settles(size_t rung, size_t level, std::span<const double> scores,
                     std::span<const double> previous) const {
  if (rung + 1 >= rungs.size()) return true;
  return confidence_of(confidence, scores, previous, rungs[rung].rule) >=
         levels[level].thresholds[rung];
}

double Policy::expected(size_t level, const std::function<double(double budget)>& cost) const {
  double sum = 0;
  for (size_t i = 0; i < rungs.size(); ++i) sum += levels[level].reached[i] * cost(rungs[i].budget);
  return sum;
}

Json to_json(const Policy& policy) {
  Json json;
  json["version"] = policy.blends() ? version_with_blends : version;
  json["weights_xxh64"] = hexadecimal(policy.weights_checksum);
  if (policy.rung_zero_checksum) json["rung_zero_xxh64"] = hexadecimal(*policy.rung_zero_checksum);
  json["promise"] = {{"kind", promise_table.name(policy.promise)},
                     {"value", policy.promised},
                     {"certainty", policy.certainty},
                     {"fitted_rows", policy.fitted_rows},
                     {"checked_rows", policy.checked_rows},
                     {"precision", policy.precision},
                     {"date", policy.date}};
  json["confidence"] = confidence_table.name(policy.confidence);
  json["temperatures"] = Json::array();
  for (const ScoreCalibration& entry : policy.temperatures) {
    Json at = {{"budget", entry.budget}, {"temperature", entry.temperature}};
    if (entry.lexical != 0) at["rung_zero"] = entry.lexical;
    json["temperatures"].push_back(std::move(at));
  }
  json["rungs"] = Json::array();
  for (const Rung& rung : policy.rungs) {
    Json entry = {{"budget", rung.budget}};
    if (!rung.rule.empty()) entry["rule"] = rung.rule;
    json["rungs"].push_back(std::move(entry));
  }
  json["levels"] = Json::array();
  for (const LadderLevel& level : policy.levels) json["levels"].push_back(level_json(level));
  return json;
}

Policy policy_from_json(const Json& json) {
  const JsonFields fields(json, ErrorCode::bad_model, "policy.json");
  fields.integer("version", version, version_with_blends);
  Policy policy;
  policy.weights_checksum = checksum_field(fields, "weights_xxh64");
  if (fields.has("rung_zero_xxh64")) {
    policy.rung_zero_checksum = checksum_field(fields, "rung_zero_xxh64");
  }
  const JsonFields promise(fields.object("promise"), ErrorCode::bad_model, "policy.json: promise");
  policy.promise =
      promise_table.parse(promise.text("kind"), ErrorCode::bad_model, "read policy.json");
  policy.promised = promise.number("value", 0, most_rungs);
  policy.certainty = promise.number("certainty", 0, 1);
  policy.fitted_rows = promise.integer("fitted_rows", 0, most_rows);
  policy.checked_rows = promise.integer("checked_rows", 0, most_rows);
  policy.precision = promise.text("precision");
  policy.date = promise.text("date");
  policy.confidence =
      confidence_table.parse(fields.text("confidence"), ErrorCode::bad_model, "read policy.json");
  for (const Json& entry : fields.array("temperatures")) {
    const JsonFields at(entry, ErrorCode::bad_model, "policy.json: temperatures");
    ScoreCalibration temperature{at.number("budget", 0, 1), at.number("temperature", 0.01, 100)};
    if (at.has("rung_zero")) {
      if (temperature.budget == 0)
        at.fail("rung_zero", "is of budget 0, which is rung zero itself");
      temperature.lexical = at.number("rung_zero", 0, most_weight);
    }
    policy.temperatures.push_back(temperature);
  }
  require_ascending(fields, "temperatures", policy.temperatures, most_temperatures);
  if (policy.blends() && !policy.rung_zero_checksum) {
    fields.fail("temperatures", "give rung zero a weight, but rung_zero_xxh64 is missing");
  }
  const Json& rungs = fields.array("rungs");
  for (const Json& entry : rungs) {
    const JsonFields at(entry, ErrorCode::bad_model, "policy.json: rungs");
    Rung rung{at.number("budget", 0, 1), {}};
    if (policy.confidence == Confidence::learned && rung.budget < 1) {
      rung.rule = number_list(at, "rule", rule_size, -1e6, 1e6);
    }
    policy.rungs.push_back(std::move(rung));
  }
  require_ascending(fields, "rungs", policy.rungs, most_rungs);
  if (policy.rungs.front().budget == 0 && !policy.rung_zero_checksum) {
    fields.fail("rungs", "begin with budget 0, but rung_zero_xxh64 is missing");
  }
  for (const Json& entry : fields.array("levels")) {
    policy.levels.push_back(level_from_json(entry, policy.rungs.size()));
  }
  if (policy.levels.empty() || policy.levels.size() > most_levels) {
    fields.fail("levels",
                fmt::format("has {} entries, expected 1 to {}", policy.levels.size(), most_levels));
  }
  return policy;
}

}  // namespace headroom
