#include "cli/help/describe.h"

#include "cli/help/examples.h"
#include "cli/options.h"

namespace headroom {
namespace {

// CLI11 tells of checks in an option's type: "TEXT:{cpu,cuda}", "INT:INT in [0 - 1024]".
std::string between(const std::string& text, const std::string& opening, char closing) {
  const size_t begin = text.find(opening);
  if (begin == std::string::npos) return "";
  const size_t from = begin + opening.size();
  return text.substr(from, text.find(closing, from) - from);
}

std::string limits_in(const std::string& type) {
  if (type.find("NONNEGATIVE") != std::string::npos) return "0 or more";
  std::string range = between(type, " in [", ']');
  const size_t dash = range.find(" - ");
  if (dash != std::string::npos) range.replace(dash, 3, " to ");
  return range;
}

// CLI11 writes a list's default in brackets: "[-]".
std::string plain_default(const CLI::Option& option) {
  const std::string text = option.get_default_str();
  const bool is_list = text.starts_with('[') && text.ends_with(']');
  return is_list ? text.substr(1, text.size() - 2) : text;
}

// "INT" of "INT:INT in [0 - 1024]", "FILE" of ":FILE".
std::string value_name(const std::string& type) {
  const size_t colon = type.find(':');
  if (colon == 0) return type.substr(1);
  return type.substr(0, colon);
}

Json describe_option(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const bool is_flag = option.get_expected_max() == 0 || option.get_type_size_max() == 0;
  Json json;
  json["name"] = (option.get_positional() ? "" : "--") + option.get_single_name();
  json["meaning"] = option.get_description();
  json["group"] = option.get_group();
  json["value"] = is_flag ? "" : value_name(type);
  json["choices"] = split_list(between(type, "{", '}'));
  json["limits"] = limits_in(type);
  json["default"] = is_flag || option.get_required() ? "" : plain_default(option);
  json["required"] = option.get_required();
  json["repeatable"] = option.get_expected_max() > 1;
  json["takes_many"] = option.get_expected_max() > 1 && option.get_allow_extra_args();
  json["environment"] = option.get_envname();
  return json;
}

}  // namespace

Json describe_app(const CLI::App& app) {
  Json json;
  json["name"] = app.get_name();
  json["description"] = app.get_description();
  json["options"] = Json::array();
  for (const CLI::Option* option : app.get_options()) {
    if (option != app.get_help_ptr() && option != app.get_help_all_ptr())
      json["options"].push_back(describe_option(*option));
  }
  json["commands"] = Json::array();
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    json["commands"].push_back(describe_app(*command));
  }
  const std::string& name = app.get_name();
  json["examples"] = examples_of(std::string_view(name).substr(name.rfind(' ') + 1));
  return json;
}

}  // namespace headroom
