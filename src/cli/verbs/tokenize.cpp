// headroom tokenize: what a model's tokenizer makes of lines of text. Reads no weights, so it takes
// any Hugging Face folder whose tokenizer is known here, whatever its network.
#include <fmt/format.h>

#include <climits>

#include "base/join.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/hf/tokenizer.h"
#include "checkpoint/make_tokenizer.h"
#include "cli/app.h"
#include "cli/inputs/inputs.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "data/catalog/spec.h"
#include "data/formats/json_lines.h"
#include "data/input/input_stream.h"
#include "data/input/line_reader.h"
#include "data/sources.h"

namespace headroom {
namespace {

struct OpenedTokenizer {
  std::unique_ptr<Tokenizer> tokenizer;
  int max_tokens = INT_MAX;
  bool pairs = false;  // a line has two texts, with a tab between them
};

OpenedTokenizer open_tokenizer(const std::string& model) {
  OpenedTokenizer opened;
  if (is_checkpoint(model)) {
    const ModelConfig config = read_config(model);
    opened.tokenizer = load_tokenizer(model, config);
    opened.max_tokens = static_cast<int>(config.longest_input());
    opened.pairs = config.task == Task::pair;
  } else {
    opened.tokenizer = open_hf_tokenizer(HfFolder(model));
    opened.max_tokens = opened.tokenizer->most_tokens(INT_MAX);
  }
  return opened;
}

std::vector<std::string> tokens_of(const Tokenizer& tokenizer, const Encoding& encoding) {
  std::vector<std::string> tokens;
  for (const int32_t id : encoding.ids) tokens.push_back(tokenizer.vocabulary().token(id));
  return tokens;
}

class Printer {
 public:
  Printer(const OpenedTokenizer& opened, bool json) : opened_(opened), json_(json) {}

  void print(const Text& text, const Json& id) const {
    const Encoding encoding = opened_.tokenizer->encode_with_offsets(text, opened_.max_tokens);
    const std::vector<std::string> tokens = tokens_of(*opened_.tokenizer, encoding);
    if (!json_) {
      fmt::print("{}\n", join(tokens, " "));
      return;
    }
    Json line;
    if (!id.is_null()) line["id"] = id;
    line["ids"] = encoding.ids;
    line["tokens"] = tokens;
    line["offsets"] = Json::array();
    for (const TextSpan& span : encoding.offsets) line["offsets"].push_back({span.begin, span.end});
    line["types"] = encoding.types;
    print_json_line(line);
  }

  // One text, or two with a tab between them.
  void print_line(const std::string& line) const {
    const size_t tab = opened_.pairs ? line.find('\t') : std::string::npos;
    if (tab != std::string::npos) {
      print({std::string_view(line).substr(0, tab), std::string_view(line).substr(tab + 1)}, {});
    } else {
      print({line}, {});
    }
  }

  void print_row(const std::string& line, const std::string& origin) const {
    if (is_blank(line)) return;
    JsonRow row;
    parse_json_row(line, {}, origin, row);
    Text text{row.text};
    if (row.text_pair) text.pair = *row.text_pair;
    print(text, row.id);
  }

 private:
  const OpenedTokenizer& opened_;
  bool json_;
};

void print_rows(const Printer& printer, const std::string& spec, const std::string& data_dir,
                bool pairs) {
  read_texts(parse_data_spec(spec), data_dir, pairs ? Task::pair : Task::classify,
             [&](const RawRow& row, const RowOrigin& origin) {
               try {
                 printer.print(row.has_pair ? Text{row.text, row.text_pair} : Text{row.text}, {});
               } catch (const Error& error) {
                 if (error.code() != ErrorCode::bad_data) throw;
                 fail_row(origin, error.message());
               }
             });
}

void print_file(const Printer& printer, const std::string& file, bool jsonl) {
  InputStream input(file);
  LineReader reader(input);
  std::string line;
  while (reader.next(line)) {
    try {
      if (jsonl) {
        printer.print_row(line, fmt::format("line {}", reader.line_number()));
      } else {
        printer.print_line(line);
      }
    } catch (const Error& error) {
      if (error.code() != ErrorCode::bad_data) throw;
      input.fail(fmt::format("line {}: {}", reader.line_number(), error.message()));
    }
  }
}

}  // namespace

int run_tokenize(int argc, char** argv) {
  CLI::App app(
      "Shows what a model's tokenizer makes of texts, a text a line: its tokens; with --json also "
      "their ids, types and offsets in characters. Loads no weights.",
      "headroom tokenize");
  std::string model;
  std::string data_dir = default_data_dir();
  int max_tokens = 0;
  TextInputs inputs;
  add_text_inputs(app, inputs);
  app.add_option("--model", model, "checkpoint directory, or a Hugging Face folder")->required();
  app.add_option("--max-tokens", max_tokens, "longest result; 0: what the model takes")
      ->check(CLI::Range(0, INT_MAX));
  add_data_dir(app, data_dir);
  return run_app(app, argc, argv, [&](bool json) {
    check_text_inputs(inputs);
    OpenedTokenizer opened = open_tokenizer(model);
    if (max_tokens > 0) opened.max_tokens = max_tokens;
    const Printer printer(opened, json);
    for (const std::string& text : inputs.texts) printer.print_line(text);
    for (const TextInput& input : inputs.all()) {
      if (input.kind == InputKind::rows) {
        print_rows(printer, input.path, data_dir, opened.pairs);
      } else {
        print_file(printer, input.path, input.kind == InputKind::json_lines);
      }
    }
  });
}

}  // namespace headroom
