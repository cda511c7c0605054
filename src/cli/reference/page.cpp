// docs/cli-reference.md.
#include <fmt/format.h>

#include <algorithm>

#include "base/join.h"
#include "cli/reference/reference.h"

namespace headroom {
namespace {

// Inside a table's cell a bar ends the cell.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '|') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string option_cell(const OptionEntry& option) {
  const bool shows_value = !option.flag() && !option.positional();
  const std::string words =
      shows_value ? option.name + " " + value_words(option) : value_words(option);
  return option.flag() ? option.name : cell(words);
}

void add_table(std::string& page, const std::vector<OptionEntry>& options,
               const std::string& group) {
  page += "\n| option | meaning | |\n|---|---|---|\n";
  for (const OptionEntry& option : options) {
    if (option.group != group) continue;
    page += fmt::format("| `{}` | {} | {} |\n", option_cell(option), cell(option.meaning),
                        cell(join(remarks(option, "`"), ", ")));
  }
}

std::vector<std::string> groups_of(const std::vector<OptionEntry>& options) {
  std::vector<std::string> groups;
  for (const OptionEntry& option : options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  return groups;
}

void add_commands(std::string& page, const VerbEntry& verb) {
  if (verb.commands.empty()) return;
  page += "\n| command | does |\n|---|---|\n";
  for (const VerbEntry& command : verb.commands) {
    std::string words = command.name;
    for (const OptionEntry& option : command.options) words += " " + value_words(option);
    page += fmt::format("| `{}` | {} |\n", words, cell(command.description));
  }
}

void add_verb(std::string& page, const VerbEntry& verb) {
  page += fmt::format("\n## {}\n\n{}\n\n```\nheadroom {}\n```\n", verb.name, verb.description,
                      usage_words(verb));
  const std::vector<std::string> groups = groups_of(verb.options);
  for (const std::string& group : groups) {
    if (groups.size() > 1) page += fmt::format("\n**{}**\n", group);
    add_table(page, verb.options, group);
  }
  add_commands(page, verb);
  if (verb.examples.empty()) return;
  page += fmt::format("\n```\n{}\n```\n", join(verb.examples, "\n"));
}

}  // namespace

std::string reference_page(const Reference& reference) {
  std::string page =
      "<!-- Made from the parser by `make reference`; a test compares. Do not edit. -->\n"
      "# Command-line reference\n\n"
      "Every option of every verb, as `headroom VERB --help` tells them. What they have in common, "
      "data\n"
      "SPECs, JSON keys and exit codes are in [cli.md](cli.md). An option's environment twin is "
      "its name\n"
      "in capitals (`--max-tokens`: `HEADROOM_MAX_TOKENS`); the man pages name each one.\n\n"
      "| verb | does |\n|---|---|\n";
  for (const VerbEntry& verb : reference.verbs) {
    page += fmt::format("| [`{0}`](#{0}) | {1} |\n", verb.name, cell(verb.summary));
  }
  for (const VerbEntry& verb : reference.verbs) add_verb(page, verb);
  return page;
}

}  // namespace headroom
