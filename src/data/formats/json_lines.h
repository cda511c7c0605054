// JSON lines: one object a line with "text", and optionally "text_pair", "label" (a string, a
// number, or a list of them), "negative" and "id" (anything; handed back untouched).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "data/input/input_stream.h"
#include "data/input/line_reader.h"

namespace headroom {

// The names of the fields; published sets have their own (SNLI: sentence1, sentence2, gold_label).
struct JsonLineKeys {
  std::string text = "text";
  std::string text_pair = "text_pair";
  std::string label = "label";
  std::string labels = "labels";
  std::string negative = "negative";
};

struct JsonRow {
  std::string text;
  std::optional<std::string> text_pair;
  std::optional<std::string> label;                // a number becomes its shortest text: 3, 0.5
  std::optional<std::vector<std::string>> labels;  // of a list in its place, or under "labels"
  std::optional<std::string> negative;
  Json id;  // null when absent
};

// One line as a row. `origin` names it in errors, which are ErrorCode::bad_data; the id is set
// before anything can be wrong with the other fields.
void parse_json_row(std::string_view line, const JsonLineKeys& keys, const std::string& origin,
                    JsonRow& row);

// Whether a line holds nothing: such lines are no rows.
bool is_blank(std::string_view line);

class JsonLinesReader {
 public:
  explicit JsonLinesReader(InputStream& input, JsonLineKeys keys = {});

  // False at the end; empty lines are skipped. Throws ErrorCode::bad_data naming file and line.
  bool next(JsonRow& row);
  int64_t line() const { return lines_.line_number(); }

 private:
  InputStream& input_;
  LineReader lines_;
  JsonLineKeys keys_;
};

}  // namespace headroom
