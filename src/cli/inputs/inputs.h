// Where the texts of predict, embed and tokenize come from: files of lines or JSON lines, data
// SPECs, or --text.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace headroom {

enum class InputKind {
  lines,       // a text a line
  json_lines,  // an object a line: text, optional text_pair, id
  rows,        // of a data SPEC
};

struct TextInput {
  InputKind kind = InputKind::lines;
  std::string path;  // or the data SPEC; - is standard input
};

struct TextInputs {
  std::vector<std::string> files = {"-"};  // as the user wrote them
  std::vector<std::string> texts;          // instead of files
  std::string format = "text";             // of files whose names do not say
  CLI::Option* files_option = nullptr;
  CLI::Option* format_option = nullptr;

  TextInput input(const std::string& file) const;
  std::vector<TextInput> all() const;  // of `files`
};

// FILES, --text and --input.
void add_text_inputs(CLI::App& app, TextInputs& inputs);

// Throws ErrorCode::usage for texts and files at once, for a file that does not exist, and for what
// is no data SPEC: before a model is loaded. Asks for texts where a person is to type them.
void check_text_inputs(TextInputs& inputs);

}  // namespace headroom
