// From a data SPEC to rows in memory.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "data/catalog/spec.h"
#include "data/dataset.h"

namespace headroom {

// With `labels` (those of a model), rows' labels are mapped to them and an unknown one is an error.
// Without, the labels are collected: in the order of the set's class list, else by number when all
// are whole numbers, else by byte order; fewer than two classes is then an error, because such data
// cannot train anything. Throws ErrorCode::bad_data naming file and line, or ErrorCode::usage for a
// source that holds no labelled texts.
// Rows that take more than `max_memory` bytes (0: what is available) are ErrorCode::runtime.
TextDataset load_text_dataset(const DataSpec& spec, const std::filesystem::path& data_dir,
                              const std::vector<std::string>* labels = nullptr,
                              uint64_t max_memory = 0);
TextDataset load_text_dataset(std::string_view spec, const std::filesystem::path& data_dir,
                              const std::vector<std::string>* labels = nullptr,
                              uint64_t max_memory = 0);

// The same without the demand for two classes: to look at data, not to train on it.
TextDataset read_text_dataset(const DataSpec& spec, const std::filesystem::path& data_dir,
                              const std::vector<std::string>* labels = nullptr,
                              uint64_t max_memory = 0);

// What is known once every row has been seen.
struct StreamedRows {
  std::vector<std::string> labels;
  std::vector<int32_t> renumber;  // from the label of a row as it was handed out to its index here
  int64_t rows = 0;
  bool pairs = false;
  std::vector<std::string> columns =
      {};  // of each delimited file, for people: "label queue, text body"
};

// Hands every row to `take` as it is read, checked in the same way, and keeps none: a file may be
// larger than memory. Which labels there are shows only at the end, so until then each has a
// provisional number.
using TakeRow = std::function<void(TextRow row, const RowOrigin& origin)>;
StreamedRows stream_text_rows(const DataSpec& spec, const std::filesystem::path& data_dir,
                              const std::vector<std::string>* labels, const TakeRow& take);

}  // namespace headroom
