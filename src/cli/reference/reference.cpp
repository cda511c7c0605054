#include "cli/reference/reference.h"

#include <fmt/format.h>

#include <sstream>

#include "base/join.h"

namespace headroom {
namespace {

constexpr const char* origin = "--help-json";

std::vector<std::string> texts(const Json& array) {
  return array.get<std::vector<std::string>>();
}

OptionEntry read_option(const Json& json) {
  const JsonFields fields(json, ErrorCode::bad_data, origin);
  OptionEntry option;
  option.name = fields.text("name");
  option.meaning = fields.text("meaning");
  option.group = fields.text("group");
  option.value = fields.text("value");
  option.choices = texts(fields.array("choices"));
  option.limits = fields.text("limits");
  option.default_value = fields.text("default");
  option.environment = fields.text("environment");
  option.required = fields.boolean_or("required", false);
  option.repeatable = fields.boolean_or("repeatable", false);
  option.takes_many = fields.boolean_or("takes_many", false);
  return option;
}

}  // namespace

VerbEntry read_verb(const Json& json) {
  const JsonFields fields(json, ErrorCode::bad_data, origin);
  VerbEntry verb;
  const std::string name = fields.text("name");  // "headroom predict"; of a command "list"
  verb.name = name.substr(name.rfind(' ') + 1);
  verb.description = fields.text("description");
  for (const Json& option : fields.array("options")) verb.options.push_back(read_option(option));
  for (const Json& command : fields.array("commands")) verb.commands.push_back(read_verb(command));
  verb.examples = texts(fields.array("examples"));
  return verb;
}

Reference read_reference(const std::string& json_lines) {
  std::istringstream lines(json_lines);
  std::string line;
  std::getline(lines, line);
  const Json top = parse_json(line, ErrorCode::bad_data, origin);
  const JsonFields fields(top, ErrorCode::bad_data, origin);
  Reference reference{fields.text("version"), fields.text("summary"), {}};
  for (const Json& entry : fields.array("verbs")) {
    if (!std::getline(lines, line)) {
      throw Error(ErrorCode::bad_data, "read --help-json", "a verb's line is missing");
    }
    VerbEntry verb = read_verb(parse_json(line, ErrorCode::bad_data, origin));
    const JsonFields names(entry, ErrorCode::bad_data, origin);
    if (names.text("name") != verb.name) names.fail("name", "is not that of line " + verb.name);
    verb.summary = names.text("summary");
    reference.verbs.push_back(std::move(verb));
  }
  return reference;
}

std::string value_words(const OptionEntry& option) {
  std::string words = option.value == "INT" || option.value == "UINT" ? "N"
                      : option.value == "FLOAT"                       ? "X"
                                                                      : option.value;
  if (!option.choices.empty()) words = join(option.choices, "|");
  if (option.positional()) words = option.name;
  return words + (option.takes_many ? "..." : "");
}

std::string usage_words(const VerbEntry& verb) {
  std::string words = verb.name;
  if (!verb.commands.empty()) words += " COMMAND";
  for (const OptionEntry& option : verb.options) {
    if (option.positional()) {
      const std::string value = value_words(option);
      words += option.required ? " " + value : " [" + value + "]";
    } else if (option.required) {
      words += fmt::format(" {} {}", option.name, value_words(option));
    }
  }
  return words + " [options]";
}

std::vector<std::string> remarks(const OptionEntry& option, const std::string& quote) {
  std::vector<std::string> all;
  if (option.required) all.emplace_back("required");
  if (!option.limits.empty()) all.push_back(option.limits);
  if (!option.default_value.empty()) {
    all.push_back("default " + quote + option.default_value + quote);
  }
  return all;
}

}  // namespace headroom
