// What the command line offers, and the texts made from it for people and shells: a page, man pages
// and completions. Filled from what `headroom --help-json` and `headroom VERB --help-json` print.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace headroom {

struct OptionEntry {
  std::string name;  // "--model"; a positional one has no dashes: "FILES"
  std::string meaning;
  std::string group;                 // a heading; "Options" where a verb has but one
  std::string value;                 // "TEXT", "INT", "FLOAT", ...; empty for a flag
  std::vector<std::string> choices;  // the only values it takes
  std::string limits;                // "0 to 1024"
  std::string default_value;
  std::string environment;  // its twin, "HEADROOM_MODEL"
  bool required = false;
  bool repeatable = false;
  bool takes_many = false;  // values behind one another: --text A B

  bool positional() const { return !name.starts_with('-'); }
  bool flag() const { return value.empty(); }
};

struct VerbEntry {
  std::string name;     // "predict"
  std::string summary;  // its line in `headroom --help`
  std::string description;
  std::vector<OptionEntry> options;
  std::vector<VerbEntry> commands;    // of `data`: list, check, get
  std::vector<std::string> examples;  // command lines
};

struct Reference {
  std::string version;
  std::string summary;
  std::vector<VerbEntry> verbs;
};

// A verb from what its --help-json prints.
VerbEntry read_verb(const Json& json);

// One JSON object a line: the top level first, then each of its verbs.
Reference read_reference(const std::string& json_lines);

// What stands for an option's value: "cpu|cuda", "N", "TEXT...".
std::string value_words(const OptionEntry& option);

// "headroom predict [FILES...] --model TEXT [options]", without `headroom`.
std::string usage_words(const VerbEntry& verb);

// What is to be said beside an option's meaning: "required", "0 to 1024", "default 1". `quote`
// stands around the default.
std::vector<std::string> remarks(const OptionEntry& option, const std::string& quote = "");

std::string reference_page(const Reference& reference);              // docs/cli-reference.md
std::string man_page(const Reference& reference);                    // headroom.1
std::string man_page(const Reference& reference, const VerbEntry&);  // headroom-VERB.1
std::string bash_completion(const Reference& reference);
std::string zsh_completion(const Reference& reference);
std::string fish_completion(const Reference& reference);

}  // namespace headroom
