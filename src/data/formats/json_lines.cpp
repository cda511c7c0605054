#include "data/formats/json_lines.h"

#include <fmt/format.h>

#include <utility>

namespace headroom {
namespace {

// Labels are compared as text, whether the file writes 3 or "3".
std::optional<std::string> read_label(const Json& object, const std::string& key,
                                      const JsonFields& fields) {
  const auto found = object.find(key);
  if (found == object.end() || found->is_null()) return std::nullopt;
  if (found->is_string()) return found->get<std::string>();
  if (!found->is_number()) fields.fail(key, "must be a string or a number");
  return found->dump();
}

}  // namespace

void parse_json_row(std::string_view line, const JsonLineKeys& keys, const std::string& origin,
                    JsonRow& row) {
  row = {};
  const Json object = parse_json(line, ErrorCode::bad_data, origin);
  const JsonFields fields(object, ErrorCode::bad_data, origin);
  row.id = object.value("id", Json());
  row.text = fields.text(keys.text);
  if (fields.has(keys.text_pair) && !object.at(keys.text_pair).is_null()) {
    row.text_pair = fields.text(keys.text_pair);
  }
  row.label = read_label(object, keys.label, fields);
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
