#include "base/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/json_builder.h"

namespace headroom {
namespace {

// The library's words without the name of its exception ("[json.exception.parse_error.101] parse
// error at line 1, ...") and, where that is long, without what it read last: all of a text.
std::string_view complaint(const nlohmann::json::exception& problem) {
  constexpr size_t most = 200;
  std::string_view what = problem.what();
  const size_t name_end = what.find("] ");
  if (name_end != std::string_view::npos) what.remove_prefix(name_end + 2);
  return what.size() <= most ? what : what.substr(0, std::min(what.find("; last read"), most));
}

template <typename AnyJson>
std::string shortened(const AnyJson& value) {
  constexpr size_t most = 80;
  std::string text = value.dump();
  if (text.size() <= most) return text;
  size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "...";
}

template <typename AnyJson>
AnyJson parse_strictly(std::string_view text, ErrorCode code, std::string_view origin,
                       const JsonLimits& limits) {
  const std::string operation = fmt::format("parse {}", origin);
  // The library takes a NUL for the end of its input and would ignore what follows.
  if (text.find('\0') != std::string_view::npos) {
    throw Error(code, operation, "not valid JSON (it holds a NUL byte)");
  }
  JsonBuilder<AnyJson> builder(code, operation, limits);
  try {
    AnyJson::sax_parse(text.begin(), text.end(), &builder);
  } catch (const nlohmann::json::exception& problem) {
    throw Error(code, operation, fmt::format("not valid JSON ({})", complaint(problem)));
  }
  return builder.take();
}

}  // namespace

std::string shown(const Json& value) {
  return shortened(value);
}

std::string shown(const SortedJson& value) {
  return shortened(value);
}

Json parse_json(std::string_view text, ErrorCode code, std::string_view origin,
                const JsonLimits& limits) {
  return parse_strictly<Json>(text, code, origin, limits);
}

SortedJson parse_sorted_json(std::string_view text, ErrorCode code, std::string_view origin) {
  return parse_strictly<SortedJson>(text, code, origin, {});
}

Json without_nulls(const Json& object) {
  Json said = Json::object();
  for (const auto& [key, value] : object.items()) {
    if (!value.is_null()) said[key] = value;
  }
  return said;
}

JsonFields::JsonFields(const Json& object, ErrorCode code, std::string origin)
    : object_(object), code_(code), origin_(std::move(origin)) {
  if (!object_.is_object()) {
    throw Error(code_, "read " + origin_, "a JSON object was expected");
  }
}

void JsonFields::fail(std::string_view key, std::string_view complaint) const {
  throw Error(code_, "read " + origin_, fmt::format("{} {}", key, complaint));
}

bool JsonFields::is_text(std::string_view key) const {
  return at(key).is_string();
}

bool JsonFields::has(std::string_view key) const {
  return object_.contains(std::string(key));
}

const Json& JsonFields::at(std::string_view key) const {
  const auto found = object_.find(std::string(key));
  if (found == object_.end()) fail(key, "is missing");
  return *found;
}

int64_t JsonFields::integer(std::string_view key, int64_t least, int64_t most) const {
  const Json& value = at(key);
  const bool fits =
      value.is_number_integer() &&
      !(value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX));
  if (!fits || value.get<int64_t>() < least || value.get<int64_t>() > most) {
    fail(key,
         fmt::format("is {}, expected a whole number from {} to {}", shown(value), least, most));
  }
  return value.get<int64_t>();
}

int64_t JsonFields::integer_or(std::string_view key, int64_t fallback, int64_t least,
                               int64_t most) const {
  return has(key) ? integer(key, least, most) : fallback;
}

double JsonFields::number(std::string_view key, double least, double most) const {
  const Json& value = at(key);
  const double number = value.is_number() ? value.get<double>() : std::nan("");
  if (!(number >= least && number <= most)) {
    fail(key, fmt::format("is {}, expected a number from {} to {}", shown(value), least, most));
  }
  return number;
}

double JsonFields::number_or(std::string_view key, double fallback, double least,
                             double most) const {
  return has(key) ? number(key, least, most) : fallback;
}

bool JsonFields::boolean_or(std::string_view key, bool fallback) const {
  if (!has(key)) return fallback;
  const Json& value = at(key);
  if (!value.is_boolean()) fail(key, fmt::format("is {}, expected true or false", shown(value)));
  return value.get<bool>();
}

std::string JsonFields::text(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_string()) fail(key, fmt::format("is {}, expected a string", shown(value)));
  return value.get<std::string>();
}

std::string JsonFields::text_or(std::string_view key, std::string fallback) const {
  return has(key) ? text(key) : std::move(fallback);
}

const Json& JsonFields::object(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_object()) fail(key, "is not an object");
  return value;
}

const Json& JsonFields::array(std::string_view key) const {
  const Json& value = at(key);
  if (!value.is_array()) fail(key, "is not an array");
  return value;
}

}  // namespace headroom
