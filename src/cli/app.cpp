#include "cli/app.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <new>

#include "base/error.h"
#include "base/files/file.h"
#include "base/interrupt.h"
#include "base/join.h"
#include "base/nearest.h"
#include "cli/help/describe.h"
#include "cli/help/help.h"

namespace headroom {
namespace {

std::string environment_twin(const std::string& option) {
  // HEADROOM_DATA is the data directory (--data-dir); the data SPEC needs another name.
  if (option == "data-dir") return "HEADROOM_DATA";
  if (option == "data") return "HEADROOM_DATA_SPEC";
  std::string name = "HEADROOM_" + option;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::toupper(c));
  });
  return name;
}

void add_environment_twins(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const auto& names = option->get_lnames();
    if (!names.empty() && !names[0].starts_with("help") && names[0] != "config") {
      option->envname(environment_twin(names[0]));
    }
  }
}

// Reads {"epochs": 3, "budgets": "0.5,1"}: what CLI11 calls a configuration format.
class JsonConfig : public CLI::Config {
 public:
  explicit JsonConfig(const CLI::App& app) : app_(app) {}
  std::string to_config(const CLI::App* /*app*/, bool /*default_also*/, bool /*description*/,
                        std::string /*prefix*/) const override {
    return {};
  }
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    const std::string text(std::istreambuf_iterator<char>(input), {});
    const Json json = parse_json(text, ErrorCode::usage, "--config file");
    const JsonFields object(json, ErrorCode::usage, "--config file");
    std::vector<CLI::ConfigItem> entries;
    for (const auto& [key, value] : json.items()) {
      if (app_.get_option_no_throw("--" + key) == nullptr) {
        object.fail(key, "is not an option of this verb");
      }
      if (value.is_object() || value.is_array() || value.is_null()) {
        object.fail(key, "must be a string, a number or true/false");
      }
      entries.emplace_back();
      entries.back().name = key;
      entries.back().inputs = {value.is_string() ? value.get<std::string>() : value.dump()};
    }
    return entries;
  }

 private:
  const CLI::App& app_;
};

// The options of the verb and of its sub-commands, as people type them.
void add_option_names(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const CLI::App* sub : app.get_subcommands({})) add_option_names(*sub, names);
}

// What CLI11 `said` of a command line with an unknown word in it is that something else is missing,
// or a list of words; this names the first unknown one and its like.
std::string explain_unknown(const CLI::App& app, int argc, char** argv, const std::string& said) {
  std::vector<std::string> names;
  add_option_names(app, names);
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const std::string_view option = word.substr(0, word.find('='));
    if (!word.starts_with("--") || word == "--") continue;
    if (std::find(names.begin(), names.end(), option) == names.end()) {
      return fmt::format("{} is not an option{}. {} --help lists them", option,
                         did_you_mean(option, names), app.get_name());
    }
  }
  std::vector<std::string> commands;
  for (const CLI::App* sub : app.get_subcommands({})) commands.push_back(sub->get_name());
  const std::string_view word = argc > 1 ? argv[1] : "";
  if (commands.empty() || std::find(commands.begin(), commands.end(), word) != commands.end()) {
    return said;
  }
  const std::string wrong =
      word.empty() ? "" : fmt::format("\"{}\" is not one{}; ", word, did_you_mean(word, commands));
  return fmt::format("{}the commands of {} are {}", wrong, app.get_name(), join(commands, ", "));
}

}  // namespace

bool json_requested(int argc, char** argv) {
  const char* twin = getenv("HEADROOM_JSON");
  const std::string_view value = twin != nullptr ? twin : "";
  return std::any_of(argv, argv + argc,
                     [](const char* word) { return std::strcmp(word, "--json") == 0; }) ||
         value == "1" || value == "true" || value == "on" || value == "yes";
}

Json error_json(const Error& error) {
  return {{"error",
           {{"code", error_name(error.code())},
            {"operation", error.operation()},
            {"message", error.message()}}}};
}

int report_error(const Error& error, bool json) {
  if (json) {
    print_json_line(error_json(error));
  } else {
    fmt::print(stderr, "headroom: {}\n", error.what());
  }
  return exit_code(error.code());
}

void add_config_option(CLI::App& app) {
  app.config_formatter(std::make_shared<JsonConfig>(app));
  app.set_config("--config", "", "JSON file of options by their long names; flags win")
      ->check(CLI::ExistingFile);
  app.allow_config_extras(CLI::config_extras_mode::error);
}

void require_supported(std::string_view option, const std::string& value,
                       std::initializer_list<std::string_view> supported) {
  if (std::find(supported.begin(), supported.end(), value) != supported.end()) return;
  std::vector<std::string_view> named;
  for (const std::string_view name : supported) {
    if (!name.empty()) named.push_back(name);
  }
  const std::string list = named.empty() ? "none" : join(named, ", ");
  throw Error(ErrorCode::usage, "read options",
              fmt::format("{} {} is not supported; this version has: {}", option, value, list));
}

void prepare_app(CLI::App& app) {
  const std::string meaning = "JSON lines on stdout, errors included";
  app.add_flag("--json", meaning);
  app.set_help_all_flag("--help-all", "the same with every option");
  for (CLI::Option* option : app.get_options()) {
    if (option->get_default_str().empty()) option->capture_default_str();  // words stay
  }
  add_environment_twins(app);
}

int run_app(CLI::App& app, int argc, char** argv, const std::function<void(bool json)>& body) {
  prepare_app(app);
  if (argc == 2 && std::strcmp(argv[1], "--help-json") == 0) {
    print_json_line(describe_app(app));
    return 0;
  }
  // Known before parsing, so that a usage error is reported in the form that was asked for.
  bool wants_json = json_requested(argc, argv);
  try {
    try {
      app.parse(argc, argv);
    } catch (const CLI::Success& asked) {  // --help, --help-all
      const bool all = dynamic_cast<const CLI::CallForAllHelp*>(&asked) != nullptr;
      fmt::print("{}", help_text(read_verb(describe_app(app)), all));
      return 0;
    } catch (const CLI::ParseError& problem) {
      const bool unknown = dynamic_cast<const CLI::ExtrasError*>(&problem) != nullptr ||
                           dynamic_cast<const CLI::RequiredError*>(&problem) != nullptr;
      const std::string said = problem.what();
      throw Error(ErrorCode::usage, "read options",
                  unknown ? explain_unknown(app, argc, argv, said) : said);
    }
    watch_for_interrupts();
    wants_json = app.get_option("--json")->as<bool>();
    body(wants_json);
    if (std::fflush(stdout) != 0) {
      throw Error(ErrorCode::runtime, "write output", std::strerror(errno));
    }
    return 0;
  } catch (const Error& error) {
    return report_error(error, wants_json);
  } catch (const std::bad_alloc&) {
    return report_error(Error(ErrorCode::runtime, "allocate memory", "not enough memory"),
                        wants_json);
  } catch (const std::exception& problem) {
    return report_error(Error(ErrorCode::runtime, "run", problem.what()), wants_json);
  }
}

std::string json_line(const Json& json) {
  // Texts may hold bytes that are not UTF-8 (file names, say): replace them rather than fail.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void print_json_line(const Json& json) {
  fmt::print("{}", json_line(json));
}

void print_table(const Table& table) {
  fmt::print("{}", aligned_text(table));
}

}  // namespace headroom
