// Labelled texts in memory: what classification and pair tasks train on.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

enum class DataPart { train, validation, test };
std::string_view part_name(DataPart part);

struct TextRow {
  std::string text;
  std::string text_pair;  // the second sentence of a pair task; empty otherwise
  int32_t label = 0;      // index into TextDataset::labels
};

struct TextDataset {
  std::string name;  // what the user called it: "agnews:test", "csv:train.csv"
  std::vector<TextRow> rows;
  std::vector<std::string> labels;
  bool pairs = false;  // every row has a text_pair (which may be an empty string)
  std::vector<std::string> columns =
      {};  // of each delimited file, for people: "label queue, text body"

  std::vector<int32_t> row_labels() const;
  std::vector<int64_t> label_counts() const;  // rows of each label, as long as `labels`
};

// Throws ErrorCode::bad_data when there is nothing to learn from: no rows, or all of one class.
void require_trainable(const TextDataset& dataset);

}  // namespace headroom
