// Settings that describe themselves. A struct lists its fields once, in a function visit_settings()
// beside it; options, their help, JSON and the fingerprint of a run are all made from that list.
//
//   template <typename Visitor>
//   void visit_settings(Recipe& recipe, Visitor&& visit) {
//     visit(Setting{.name = "batch", .help = "rows a step", .group = "Training"},
//     recipe.batch_size);
//   }
//
// A field is a bool, a number, a text, an enum with a table_of() (base/enum_table.h), a list of
// numbers, or a number that may be missing.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/json.h"

namespace headroom {

struct Setting {
  std::string name;  // of the option (--name) and of the JSON key
  std::string help;
  const char* group = "";  // heading in --help; "": no option, set by code alone
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

template <typename T>
Json setting_to_json(const T& value) {
  if constexpr (std::is_enum_v<T>) {
    return table_of(value).name(value);
  } else {
    return value;
  }
}
inline Json setting_to_json(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

template <typename T>
void setting_from_json(const Json& json, const Setting& setting, T& value) {
  if constexpr (std::is_enum_v<T>) {
    value = table_of(value).parse(json.get<std::string>());
  } else if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    const double number = json.get<double>();
    if (!(number >= setting.least && number <= setting.most)) {
      throw Error(ErrorCode::usage, "read settings", setting.name + " is out of its range");
    }
    value = json.get<T>();
  } else {
    value = json.get<T>();
  }
}
inline void setting_from_json(const Json& json, const Setting& /*setting*/,
                              std::optional<double>& value) {
  value = json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

// All settings by name.
template <typename Settings>
Json settings_to_json(Settings settings) {
  Json json = Json::object();
  visit_settings(settings, [&](const Setting& setting, const auto& value) {
    json[setting.name] = setting_to_json(value);
  });
  return json;
}

// Sets those that `json` names. Throws ErrorCode::usage for a name or a value that does not fit.
template <typename Settings>
void settings_from_json(const Json& json, Settings& settings) {
  size_t known = 0;
  visit_settings(settings, [&](const Setting& setting, auto& value) {
    const auto found = json.find(setting.name);
    if (found == json.end()) return;
    ++known;
    try {
      setting_from_json(*found, setting, value);
    } catch (const Json::exception&) {
      throw Error(ErrorCode::usage, "read settings", setting.name + " cannot be " + shown(*found));
    }
  });
  if (known == json.size()) return;
  throw Error(ErrorCode::usage, "read settings", "it holds a setting that nobody knows");
}

}  // namespace headroom
