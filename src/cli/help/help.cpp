#include "cli/help/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "base/join.h"

namespace headroom {
namespace {

constexpr size_t line_width = 96;
constexpr size_t left_width = 28;

// Options that hardly anybody needs: of methods for research, and of the finer points of others.
constexpr std::array<std::string_view, 5> expert_groups = {
    "Adaptive", "Budgeted", "Training details", "Model details", "Language models, translators"};

// Options whose twins show how all of them are named.
constexpr std::array<std::string_view, 3> twin_examples = {"--model", "--budget", "--max-tokens"};

bool for_experts(const std::string& group) {
  return std::find(expert_groups.begin(), expert_groups.end(), group) != expert_groups.end();
}

// Words that fit in a line, the others below one another from `indent` on.
std::string wrapped(std::string_view text, size_t indent) {
  std::string lines;
  size_t column = indent;
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (column > indent && column + 1 + end > line_width) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) lines += ' ';
    column += end + (column > indent ? 1 : 0);
    lines += text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string option_lines(const OptionEntry& option, bool all) {
  std::string left = option.positional() ? value_words(option) : option.name;
  if (!option.positional() && !option.flag()) left += " " + value_words(option);
  std::vector<std::string> beside;
  if (option.required) beside.emplace_back("required");
  if (all && !option.limits.empty()) beside.push_back(option.limits);
  if (!option.default_value.empty()) beside.push_back("default " + option.default_value);
  if (all && !option.environment.empty()) beside.push_back(option.environment);
  const std::string right =
      option.meaning + (beside.empty() ? "" : fmt::format(" ({})", join(beside, "; ")));
  const std::string gap = left.size() + 4 > left_width
                              ? "\n" + std::string(left_width, ' ')
                              : std::string(left_width - 2 - left.size(), ' ');
  return "  " + left + gap + wrapped(right, left_width) + "\n";
}

std::vector<std::string> groups_of(const VerbEntry& verb) {
  std::vector<std::string> groups;
  for (const OptionEntry& option : verb.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  // What every verb has comes last.
  std::stable_partition(groups.begin(), groups.end(),
                        [](const std::string& group) { return group != "Options"; });
  return groups;
}

std::string closing_lines(const VerbEntry& verb, const std::vector<std::string>& hidden) {
  std::vector<std::string> twins;
  for (const OptionEntry& option : verb.options) {
    if (std::find(twin_examples.begin(), twin_examples.end(), option.name) != twin_examples.end()) {
      twins.push_back(option.name + " is " + option.environment);
    }
  }
  std::string more = "--help-all tells limits and environment variables";
  if (!twins.empty()) more += " (" + join(twins, ", ") + ")";
  if (!hidden.empty()) more += ", and the options of: " + join(hidden, "; ");
  return "\n" + wrapped(more, 0) + "\n";
}

}  // namespace

std::string help_text(const VerbEntry& verb, bool all) {
  std::string text =
      fmt::format("usage: headroom {}\n\n{}\n", usage_words(verb), wrapped(verb.description, 0));
  if (!verb.commands.empty()) text += "\nCommands:\n";
  for (const VerbEntry& command : verb.commands) {
    std::string words = command.name;
    for (const OptionEntry& option : command.options) words += " " + value_words(option);
    text += fmt::format("  {:<{}}{}\n", words, left_width - 2, command.description);
  }
  std::vector<std::string> hidden;
  for (const std::string& group : groups_of(verb)) {
    if (!all && for_experts(group)) {
      hidden.push_back(group);
      continue;
    }
    text += "\n" + group + ":\n";
    for (const OptionEntry& option : verb.options) {
      if (option.group == group) text += option_lines(option, all);
    }
  }
  if (!verb.examples.empty()) text += "\nExamples:\n";
  for (const std::string& example : verb.examples) text += "  " + example + "\n";
  if (!all) text += closing_lines(verb, hidden);
  return text;
}

}  // namespace headroom
