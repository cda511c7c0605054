#include "data/formats/json_lines.h"

#include <fmt/format.h>

#include <utility>

namespace headroom {
namespace {

// Labels are compared as text, whether the file writes 3 or "3".
std::string label_text(const Json& value, const std::string& key, const JsonFields& fields) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_number()) fields.fail(key, "must be a string or a number, or a list of them");
  return value.dump();
}

void read_label(const Json& object, const std::string& key, const JsonFields& fields,
                JsonRow& row) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return;
  if (!found->is_array()) {
    row.label = label_text(*found, key, fields);
    return;
  }
  row.labels.emplace();
  for (const Json& one : *found) row.labels->push_back(label_text(one, key, fields));
}

std::optional<std::string> text_of(const Json& object, const std::string& key,
                                   const JsonFields& fields) {
  if (!fields.has(key) || object.at(key).is_null()) return std::nullopt;
  return fields.text(key);
}

}  // namespace

void parse_json_row(std::string_view line, const JsonLineKeys& keys, const std::string& origin,
                    JsonRow& row) {
  row = {};
  const Json object = parse_json(line, ErrorCode::bad_data, origin);
  const JsonFields fields(object, ErrorCode::bad_data, origin);
  row.id = object.value("id", Json());
  row.text = fields.text(keys.text);
  row.text_pair = text_of(object, keys.text_pair, fields);
  const auto negative = object.find(keys.negative);
  if (negative != object.end() && negative->is_string())
    row.negative = negative->get<std::string>();
  read_label(object, keys.label, fields, row);
  const auto list = object.find(keys.labels);
  if (!row.label && !row.labels && list != object.end() && list->is_array()) {
    read_label(object, keys.labels, fields, row);
  }
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

JsonLinesReader::JsonLinesReader(InputStream& input, JsonLineKeys keys)
    : input_(input), lines_(input), keys_(std::move(keys)) {}

bool JsonLinesReader::next(JsonRow& row) {
  std::string line;
  do {
    if (!lines_.next(line)) return false;
  } while (is_blank(line));
  parse_json_row(line, keys_, fmt::format("{} line {}", input_.name(), lines_.line_number()), row);
  return true;
}

}  // namespace headroom
