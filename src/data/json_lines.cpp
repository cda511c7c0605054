#include "data/json_lines.h"

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

JsonLinesReader::JsonLinesReader(InputStream& input, JsonLineKeys keys)
    : input_(input), lines_(input), keys_(std::move(keys)) {}

bool JsonLinesReader::next(JsonRow& row) {
  std::string line;
  do {
    if (!lines_.next(line)) return false;
  } while (line.find_first_not_of(" \t") == std::string::npos);
  const std::string origin = fmt::format("{} line {}", input_.name(), lines_.line_number());
  const Json object = parse_json(line, ErrorCode::bad_data, origin);
  const JsonFields fields(object, ErrorCode::bad_data, origin);
  row.text = fields.text(keys_.text);
  row.text_pair.reset();
  if (fields.has(keys_.text_pair) && !object.at(keys_.text_pair).is_null()) {
    row.text_pair = fields.text(keys_.text_pair);
  }
  row.label = read_label(object, keys_.label, fields);
  row.id = object.value("id", Json());
  return true;
}

}  // namespace headroom
