// What shells complete: verbs, options, and values where only a few are taken. Other values fall
// back to file names, which most of them are.
#include <fmt/format.h>

#include "base/join.h"
#include "cli/reference/reference.h"

namespace headroom {
namespace {

constexpr const char* made_by = "# Made from the parser by `make reference`. Do not edit.\n";

std::vector<std::string> verb_names(const std::vector<VerbEntry>& verbs) {
  std::vector<std::string> names;
  names.reserve(verbs.size());
  for (const VerbEntry& verb : verbs) names.push_back(verb.name);
  return names;
}

std::vector<std::string> option_names(const VerbEntry& verb) {
  std::vector<std::string> names = {"--help", "--help-all"};
  for (const OptionEntry& option : verb.options) {
    if (!option.positional()) names.push_back(option.name);
  }
  return names;
}

// `text` with a backslash before each of `special`.
std::string escaped(const std::string& text, std::string_view special) {
  std::string safe;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

// Within single quotes of a POSIX shell.
std::string in_quotes(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '\'') {
      safe += "'\\''";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string zsh_option(const OptionEntry& option) {
  const std::string meaning = in_quotes(escaped(option.meaning, "[]:\\"));
  const std::string values =
      option.choices.empty() ? "_files" : "(" + join(option.choices, " ") + ")";
  if (option.positional()) {
    const char* many = option.repeatable ? "*" : "";
    return fmt::format("'{}:{}:{}'", many, meaning, values);
  }
  if (option.flag()) return fmt::format("'{}[{}]'", option.name, meaning);
  const char* many = option.repeatable ? "*" : "";
  return fmt::format("'{}{}=[{}]:value:{}'", many, option.name, meaning, values);
}

std::string fish_line(const std::string& verb, const std::string& rest) {
  return fmt::format("complete -c headroom -n '__fish_seen_subcommand_from {}' {}\n", verb, rest);
}

std::string fish_quoted(const std::string& text) {
  return "'" + escaped(text, "'\\") + "'";
}

}  // namespace

std::string bash_completion(const Reference& reference) {
  std::string values;
  std::string words;
  for (const VerbEntry& verb : reference.verbs) {
    for (const OptionEntry& option : verb.options) {
      if (option.choices.empty() || option.positional()) continue;
      values += fmt::format("    '{} {}') words='{}' ;;\n", verb.name, option.name,
                            join(option.choices, " "));
    }
    words += fmt::format("    {}/-*) words='{}' ;;\n", verb.name, join(option_names(verb), " "));
    if (!verb.commands.empty()) {
      words +=
          fmt::format("    {}/*) words='{}' ;;\n", verb.name, join(verb_names(verb.commands), " "));
    }
  }
  return fmt::format(R"({}_headroom() {{
  local verb=${{COMP_WORDS[1]}} word=${{COMP_WORDS[COMP_CWORD]}}
  local words=
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '{} --help --version' -- "$word")
    return
  fi
  case "$verb ${{COMP_WORDS[COMP_CWORD - 1]}}" in
{}  esac
  [ -n "$words" ] || case "$verb/$word" in
{}  esac
  [ -z "$words" ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -o default -F _headroom headroom
)",
                     made_by, join(verb_names(reference.verbs), " "), values, words);
}

std::string zsh_completion(const Reference& reference) {
  std::string verbs;
  std::string cases;
  for (const VerbEntry& verb : reference.verbs) {
    verbs += fmt::format("    '{}:{}'\n", verb.name, in_quotes(escaped(verb.summary, ":\\")));
    cases += fmt::format("    {})\n      _arguments '--help[tell the options]'", verb.name);
    if (!verb.commands.empty()) {
      cases += fmt::format(" \\\n        '1:command:({})'", join(verb_names(verb.commands), " "));
    }
    for (const OptionEntry& option : verb.options) cases += " \\\n        " + zsh_option(option);
    cases += "\n      ;;\n";
  }
  return fmt::format(R"(#compdef headroom
{}_headroom() {{
  local -a verbs=(
{}  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
{}  esac
}}
_headroom "$@"
)",
                     made_by, verbs, cases);
}

std::string fish_completion(const Reference& reference) {
  std::string text = made_by;
  for (const VerbEntry& verb : reference.verbs) {
    text += fmt::format("complete -c headroom -f -n __fish_use_subcommand -a {} -d {}\n", verb.name,
                        fish_quoted(verb.summary));
  }
  for (const VerbEntry& verb : reference.verbs) {
    for (const VerbEntry& command : verb.commands) {
      text += fish_line(
          verb.name, fmt::format("-f -a {} -d {}", command.name, fish_quoted(command.description)));
    }
    for (const OptionEntry& option : verb.options) {
      if (option.positional()) continue;
      const std::string values =
          option.flag() ? ""
          : option.choices.empty()
              ? " -r"
              : fmt::format(" -x -a {}", fish_quoted(join(option.choices, " ")));
      text += fish_line(verb.name, fmt::format("-l {}{} -d {}", option.name.substr(2), values,
                                               fish_quoted(option.meaning)));
    }
  }
  return text;
}

}  // namespace headroom
