#include "experiments/record/record.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "base/error.h"
#include "base/files/file.h"
#include "base/join.h"
#include "experiments/record/fields.h"

namespace headroom::experiments {
namespace {

constexpr int64_t largest_integer = int64_t{1} << 53;  // that every JSON reader keeps
constexpr const char* fresh_rows = "fresh";

template <typename T>
bool lacks(const std::optional<T>& value) {
  return !value;
}
template <typename T>
bool lacks(const std::vector<T>& values) {
  return values.empty();
}
bool lacks(const std::string& text) {
  return text.empty();
}
bool lacks(const Json& json) {
  return json.is_null();
}
template <typename T>
bool lacks(const Count<T>& count) {
  return lacks(count.value);
}

class Writer {
 public:
  template <typename T>
  void must(const char* key, const T& value) {
    json_[key] = written(value);
  }
  template <typename T>
  void may(const char* key, const T& value) {
    if (!lacks(value)) must(key, value);
  }
  void fresh_or(const char* key, const std::optional<int64_t>& count) {
    json_[key] = count ? Json(*count) : Json(fresh_rows);
  }
  Json take() { return std::move(json_); }

 private:
  template <typename T>
  static Json written(const std::optional<T>& value) {
    return written(*value);
  }
  template <typename T>
  static Json written(const Count<T>& count) {
    return static_cast<int64_t>(*std::optional<double>(count.value));
  }
  template <typename T>
  static Json written(const Size<T>& size) {
    return size.value;
  }
  template <typename T>
  static Json written(const std::vector<T>& values) {
    Json list = Json::array();
    for (const T& value : values) list.push_back(written(value));
    return list;
  }
  static Json written(const std::vector<NamedArm>& arms) {
    Json json = Json::object();
    for (const auto& [name, arm] : arms) json[name] = written(arm);
    return json;
  }
  static Json written(const CurvePoint& point) {
    Json line = {{"step", point.step}, {"stage", point.stage}};
    for (const auto& [name, value] : point.values) line[name] = value;
    return line;
  }
  template <typename T>
  static Json written(const T& value) {
    if constexpr (std::is_constructible_v<Json, const T&>) {
      return value;
    } else {
      Writer part;
      visit(part, value);
      return part.take();
    }
  }

  Json json_ = Json::object();
};

// Reads the fields of one object; `path` says where it stands in the file, with a dot at its end.
class Reader {
 public:
  Reader(const Json& object, const std::string& file, std::string path)
      : object_(object), file_(file), path_(std::move(path)) {}

  template <typename T>
  void must(const char* key, T&& field) const {
    const auto found = object_.find(key);
    if (found == object_.end()) fail(path_ + key, "is missing");
    read(*found, path_ + key, field);
  }
  template <typename T>
  void may(const char* key, T&& field) const {
    const auto found = object_.find(key);
    if (found != object_.end() && !found->is_null()) read(*found, path_ + key, field);
  }
  void fresh_or(const char* key, std::optional<int64_t>& count) const {
    if (object_.value(key, Json()) != fresh_rows) must(key, count);
  }

  [[noreturn]] void fail(const std::string& key, const std::string& complaint) const {
    throw Error(ErrorCode::bad_data, "read " + file_, fmt::format("{} {}", key, complaint));
  }
  void expect(bool holds, const Json& value, const std::string& key, const char* expected) const {
    if (!holds) fail(key, fmt::format("is {}, expected {}", shown(value), expected));
  }

  void read(const Json& value, const std::string& key, double& field) const {
    expect(value.is_number(), value, key, "a number");
    field = value.get<double>();
  }
  void read(const Json& value, const std::string& key, int64_t& field) const {
    expect(value.is_number_integer() && std::abs(value.get<double>()) <= largest_integer, value,
           key, "an integer");
    field = value.get<int64_t>();
  }
  void read(const Json& value, const std::string& key, uint64_t& field) const {
    int64_t number = 0;
    read(value, key, number);
    expect(number >= 0, value, key, "an integer of at least 0");
    field = static_cast<uint64_t>(number);
  }
  void read(const Json& value, const std::string& key, bool& field) const {
    expect(value.is_boolean(), value, key, "true or false");
    field = value.get<bool>();
  }
  void read(const Json& value, const std::string& key, std::string& field) const {
    expect(value.is_string(), value, key, "a string");
    field = value.get<std::string>();
  }
  void read(const Json& value, const std::string& key, Json& field) const {
    expect(value.is_object(), value, key, "an object");
    field = value;
  }
  template <typename T>
  void read(const Json& value, const std::string& key, Count<T>& field) const {
    read(value, key, field.value);
  }
  void read(const Json& value, const std::string& key, Size<int64_t>& field) const {
    read(value, key, field.value);
    expect(field.value >= 1, value, key, "a positive integer");
  }
  template <typename T>
  void read(const Json& value, const std::string& key, std::optional<T>& field) const {
    read(value, key, field.emplace());
  }
  template <typename T>
  void read(const Json& value, const std::string& key, std::vector<T>& field) const {
    expect(value.is_array(), value, key, "a list");
    field.resize(value.size());
    for (size_t i = 0; i < field.size(); ++i) {
      read(value[i], fmt::format("{}[{}]", key, i), field[i]);
    }
  }
  void read(const Json& value, const std::string& key, std::vector<NamedArm>& arms) const {
    expect(value.is_object(), value, key, "an object");
    for (const auto& [name, arm] : value.items()) {
      arms.push_back({name, {}});
      read(arm, fmt::format("{}.{}", key, name), arms.back().arm);
    }
  }
  void read(const Json& value, const std::string& key, CurvePoint& point) const {
    expect(value.is_object(), value, key, "an object");
    const Reader line(value, file_, key + ".");
    line.must("step", point.step);
    line.may("stage", point.stage);
    for (const auto& [name, number] : value.items()) {
      if (name == "step" || name == "stage") continue;
      read(number, fmt::format("{}.{}", key, name), point.values[name]);
    }
  }
  template <typename T>
  void read(const Json& value, const std::string& key, T& field) const {
    expect(value.is_object(), value, key, "an object");
    Reader part(value, file_, key + ".");
    visit(part, field);
  }

 private:
  const Json& object_;
  const std::string& file_;
  std::string path_;
};

template <typename T>
const T& required(const std::optional<T>& part, const Record& record, const char* key) {
  if (part) return *part;
  throw Error(ErrorCode::bad_data, "read run",
              fmt::format("{} of seed {} is missing", key, record.seed));
}

// "dense_rate is 0.001 there and 0.0005 here" for each setting that differs.
std::vector<std::string> differences(const Json& there, const Json& here) {
  std::vector<std::string> keys;
  for (const Json* side : {&there, &here}) {
    for (const auto& [key, value] : side->items()) {
      if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    }
  }
  std::vector<std::string> found;
  for (const std::string& key : keys) {
    const Json a = there.value(key, Json());
    const Json b = here.value(key, Json());
    if (a != b) found.push_back(fmt::format("{} is {} there and {} here", key, shown(a), shown(b)));
  }
  return found;
}

// Why two records may not be one experiment; empty where they may.
std::string reason_against(const Record& there, const Record& here) {
  if (there.experiment != here.experiment || there.task != here.task) {
    return fmt::format("it is {} on {}, not {} on {}", there.experiment, there.task,
                       here.experiment, here.task);
  }
  if (there.commit.empty() && here.commit.empty()) return "";
  if (there.commit.empty() || here.commit.empty()) {
    return "it was stored before recipes were stored whole";
  }
  const std::vector<std::string> found = differences(there.recipe, here.recipe);
  return found.empty() ? "" : fmt::format("its recipe is another: {}", join(found, "; "));
}

}  // namespace

std::optional<double> CurvePoint::mean(const std::string& field) const {
  const auto found = values.find(field);
  if (found != values.end()) return found->second;
  double sum = 0;
  int layers = 0;
  for (auto at = values.find(field + "@0"); at != values.end();
       at = values.find(fmt::format("{}@{}", field, ++layers))) {
    sum += at->second;
  }
  return layers > 0 ? std::optional(sum / layers) : std::nullopt;
}

const ArmRecord* Record::find(std::string_view name) const {
  const auto found = std::find_if(arms.begin(), arms.end(),
                                  [&](const NamedArm& named) { return named.name == name; });
  return found == arms.end() ? nullptr : &found->arm;
}

ArmRecord& Record::arm(const std::string& name) {
  const auto found = std::find_if(arms.begin(), arms.end(),
                                  [&](const NamedArm& named) { return named.name == name; });
  if (found != arms.end()) return found->arm;
  arms.push_back({name, {}});
  return arms.back().arm;
}

Json to_json(const Record& record) {
  Writer writer;
  visit(writer, record);
  return writer.take();
}

Record parse_record(const Json& json, const std::string& origin) {
  if (!json.is_object()) {
    throw Error(ErrorCode::bad_data, "read " + origin, "a JSON object was expected");
  }
  Record record;
  Reader reader(json, origin, "");
  visit(reader, record);
  return record;
}

CurvePoint parse_curve_point(const Json& json, const std::string& origin) {
  CurvePoint point;
  Reader(json, origin, "").read(json, "line", point);
  return point;
}

MachineRecord parse_machine(const Json& json) {
  MachineRecord machine;
  const std::string origin = "machine";
  Reader(json, origin, "").read(json, origin, machine);
  return machine;
}

Record read_record(const std::filesystem::path& file) {
  return parse_record(
      parse_json(read_file(file, ErrorCode::bad_data), ErrorCode::bad_data, file.string()),
      file.string());
}

const RowCounts& rows_of(const Record& record) {
  return required(record.rows, record, "rows");
}

const ShapeRecord& sizes_of(const Record& record) {
  return required(record.shape, record, "shape");
}

const MachineRecord& machine_of(const Record& record) {
  return required(record.machine, record, "machine");
}

ModelShape shape_of(const Record& record) {
  const ShapeRecord& sizes = sizes_of(record);
  ModelShape shape;
  shape.layers = sizes.layers;
  shape.width = sizes.width;
  shape.heads = sizes.heads;
  shape.ffn = sizes.ffn;
  shape.positions = sizes.max_tokens;
  shape.vocabulary = sizes.vocabulary;
  shape.labels = sizes.labels;
  return shape;
}

bool names_a_commit(const std::string& commit) {
  return !commit.empty() && commit != "unknown" && !commit.ends_with("-dirty");
}

std::string commit_warning(const std::string& commit) {
  if (names_a_commit(commit)) return "";
  return fmt::format(
      "built from {}, which nobody else can check out: its records are kept, but the claims will "
      "list them as to be made again. Commit your changes and build again",
      commit.empty() ? "unknown" : commit);
}

void require_one_recipe(const Runs& runs) {
  for (const Record& run : runs) {
    const std::string reason = reason_against(run, runs.front());
    if (reason.empty()) continue;
    throw Error(ErrorCode::bad_data, "summarise",
                fmt::format("seed {} does not go with seed {}: {}. Name seeds of one recipe with "
                            "--seeds, or keep recipes in folders of their own",
                            run.seed, runs.front().seed, reason));
  }
}

void require_extendable(const Record& stored, const Record& ours, const std::string& file) {
  std::string reason = reason_against(stored, ours);
  if (reason.empty()) return;
  throw Error(ErrorCode::usage, "reproduce",
              fmt::format("{} cannot be added to: {}. Use the options it was made with, or another "
                          "--out; --summary-only writes its page again",
                          file, reason));
}

}  // namespace headroom::experiments
