// Man pages: headroom(1), and headroom-VERB(1) as git names its own.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/join.h"
#include "cli/reference/reference.h"

namespace headroom {
namespace {

// roff reads a backslash, a hyphen and a dot or quote at the start of a line in its own way.
std::string roff(const std::string& text) {
  std::string safe = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::string sentence(std::string text) {
  if (!text.empty() && !text.ends_with('.')) text += '.';
  return text;
}

std::string heading(const Reference& reference, const std::string& name,
                    const std::string& summary) {
  return fmt::format(
      ".\\\" Made from the parser by make reference. Do not edit.\n"
      ".TH {} 1 \"\" \"headroom {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
      upper_case(name), reference.version, roff(name), roff(summary));
}

void add_options(std::string& page, const std::vector<OptionEntry>& options) {
  std::string group;
  for (const OptionEntry& option : options) {
    if (option.group != group && option.group != "Options") {
      page += fmt::format(".SS {}\n", option.group);
    }
    group = option.group;
    page +=
        fmt::format(".TP\n.B {}", roff(option.positional() ? value_words(option) : option.name));
    if (!option.flag() && !option.positional()) {
      page += fmt::format(" \\fI{}\\fR", roff(value_words(option)));
    }
    page += fmt::format("\n{}\n", roff(sentence(option.meaning)));
    std::string more = join(remarks(option), ", ");
    if (!option.environment.empty()) {
      more += (more.empty() ? "" : "; ") + ("environment " + option.environment);
    }
    if (!more.empty()) page += fmt::format("({})\n", roff(more));
  }
}

struct ExitStatus {
  ErrorCode code;
  const char* meaning;
};

constexpr ExitStatus exit_statuses[] = {
    {ErrorCode::runtime, "the machine said no: disk full, not writable, out of memory"},
    {ErrorCode::usage, "wrong options, or something that does not exist"},
    {ErrorCode::bad_data, "an input file is not what its format promises"},
    {ErrorCode::bad_model, "a checkpoint is missing, damaged or inconsistent"},
    {ErrorCode::target_unreachable, "a latency target cannot be met at any calibrated budget"},
    {ErrorCode::interrupted, "Ctrl-C or SIGTERM; training has saved its state"},
};

std::string exit_section() {
  std::string text = ".SH EXIT STATUS\n.TP\n0\nDone.\n";
  for (const ExitStatus& status : exit_statuses) {
    text += fmt::format(".TP\n{}\n{} ({})\n", exit_code(status.code),
                        roff(sentence(status.meaning)), roff(std::string(error_name(status.code))));
  }
  return text;
}

}  // namespace

std::string man_page(const Reference& reference) {
  std::string page = heading(reference, "headroom", reference.summary);
  page +=
      ".SH SYNOPSIS\n.B headroom\n.I VERB\n[options]\n.br\n.B headroom \\-\\-version\n"
      ".SH DESCRIPTION\n"
      "Trains a text classifier once and runs it at any compute budget: every request says how "
      "much\n"
      "it may spend, as a fraction of the whole model or in milliseconds. Standard output is "
      "data:\n"
      "tables or, with\n.BR \\-\\-json ,\nJSON lines. Progress and errors go to standard error.\n"
      ".SH VERBS\n";
  for (const VerbEntry& verb : reference.verbs) {
    page += fmt::format(".TP\n.BR headroom\\-{} (1)\n{}\n", roff(verb.name), roff(verb.summary));
  }
  page +=
      ".SH ENVIRONMENT\nEvery long option has a twin, named on its verb's page; the flag wins.\n"
      ".B HEADROOM_DATA\nis the directory of known data sets.\n.B HEADROOM_ISA\n"
      "chooses another instruction set than the best this machine has.\n";
  return page + exit_section();
}

std::string man_page(const Reference& reference, const VerbEntry& verb) {
  std::string page = heading(reference, "headroom-" + verb.name, verb.summary);
  page += fmt::format(".SH SYNOPSIS\n.B headroom\n{}\n.SH DESCRIPTION\n{}\n",
                      roff(usage_words(verb)), roff(verb.description));
  if (!verb.commands.empty()) {
    page += ".SH COMMANDS\n";
    for (const VerbEntry& command : verb.commands) {
      page +=
          fmt::format(".TP\n.B {}\n{}\n", roff(command.name), roff(sentence(command.description)));
      for (const OptionEntry& option : command.options) {
        page += fmt::format("\\fI{}\\fR: {}\n", roff(option.name), roff(sentence(option.meaning)));
      }
    }
  }
  page += ".SH OPTIONS\n";
  add_options(page, verb.options);
  if (!verb.examples.empty()) page += ".SH EXAMPLES\n";
  for (const std::string& example : verb.examples) {
    page += fmt::format(".PP\n.nf\n{}\n.fi\n", roff(example));
  }
  return page + exit_section() + ".SH SEE ALSO\n.BR headroom (1)\n";
}

}  // namespace headroom
