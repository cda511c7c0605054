#include "cli/inputs/inputs.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "data/catalog/spec.h"
#include "data/input/input_stream.h"

namespace headroom {
namespace {

// Opening a pipe would take bytes out of it, and a folder is for whoever reads the SPEC.
void require_file(const std::string& path) {
  if (path == "-" || std::filesystem::is_other(path) || std::filesystem::is_directory(path)) return;
  InputStream probe(path);
}

}  // namespace

TextInput TextInputs::input(const std::string& file) const {
  const InputKind by_option = format == "jsonl" ? InputKind::json_lines : InputKind::lines;
  const bool is_file = file == "-" || std::filesystem::exists(file);
  if (!is_data_spec(file) || (is_file && *format_option)) return {by_option, file};
  const DataSpec spec = parse_data_spec(file);
  const DataSource& first = spec.sources.front();
  if (is_file && first.paths != std::vector{file}) return {by_option, file};  // named like a set
  // Lines have ids, and can be split and resumed by bytes; rows cannot.
  if (spec.sources.size() == 1 && first.kind == SourceKind::jsonl) {
    return {InputKind::json_lines, first.paths[0]};
  }
  if (spec.sources.size() == 1 && first.kind == SourceKind::text) {
    return {InputKind::lines, first.paths[0]};
  }
  return {InputKind::rows, file};
}

std::vector<TextInput> TextInputs::all() const {
  std::vector<TextInput> inputs;
  for (const std::string& file : files) inputs.push_back(input(file));
  return inputs;
}

void add_text_inputs(CLI::App& app, TextInputs& inputs) {
  inputs.files_option = app.add_option("FILES", inputs.files,
                                       "files of texts, a text a line; .csv, .tsv and .jsonl files "
                                       "and other data SPECs; - is standard input");
  app.add_option("--text", inputs.texts, "a text, in place of FILES; may be given several times")
      ->allow_extra_args(false);
  inputs.format_option =
      app.add_option("--input", inputs.format,
                     "what FILES hold, whatever their names say: text (a text a line) or jsonl "
                     "(text, optional text_pair, id)")
          ->check(CLI::IsMember({"text", "jsonl"}));
}

void check_text_inputs(TextInputs& inputs) {
  if (!inputs.texts.empty()) {
    if (*inputs.files_option) {
      throw Error(ErrorCode::usage, "read options", "give FILES or --text, not both");
    }
    inputs.files.clear();
  }
  bool asks = false;
  for (const TextInput& input : inputs.all()) {
    asks = asks || input.path == "-";
    if (input.kind != InputKind::rows) {
      require_file(input.path);
      continue;
    }
    for (const DataSource& source : parse_data_spec(input.path).sources) {
      for (const std::string& path : source.paths) require_file(path);
    }
  }
  if (asks && ::isatty(STDIN_FILENO) == 1) {
    fmt::print(stderr, "headroom: reading texts from the terminal, one a line; Ctrl-D ends\n");
  }
}

}  // namespace headroom
