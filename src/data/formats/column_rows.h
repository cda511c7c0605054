// Rows of CSV and TSV files: which column is the label, which the text.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/formats/delimited.h"
#include "data/rows.h"

namespace headroom {

// Which columns of a delimited file mean what. A column is a header name or a number from 1.
struct ColumnChoice {
  bool header = false;
  std::string label;              // empty: the first column
  std::vector<std::string> text;  // joined by a space; empty: every column that is nothing else
  std::string text_pair;          // the second text of a pair task; empty: there is none

  bool operator==(const ColumnChoice&) const = default;
};

// Reads every record. Throws ErrorCode::bad_data naming file and line, ErrorCode::usage for a
// column that the file does not have.
void read_column_rows(const std::filesystem::path& path, DelimitedFormat format,
                      const ColumnChoice& columns, const RowSink& sink);

}  // namespace headroom
